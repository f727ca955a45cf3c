import { countUpTo } from '../entry/sql.ts'
import { hoursBetween, isUnusuallyQuiet } from '../admin/find-pause.ts'
import { foundIf, rule, texts } from './rule.ts'

/** Every rule by its name, with its default settings. */
export const ruleTable = {
  /** Entries that are dead. The alert closes when they are retried, or after a number of days. */
  dead: rule('dead', {
    isOn: true,
    settings: { count: 1, days: 7, openAfterMinutes: 0, closeAfterMinutes: 15 },
    look: ({ dead }, { count }) =>
      dead
        .filter((one) => one.count >= count)
        .map((one) => ({ subject: one.type, count: bounded(one.count) })),
  }),
  /** A due entry that no worker claims. An entry in backoff does not count. */
  oldest_pending: rule('oldest_pending', {
    isOn: true,
    settings: { minutes: 15, openAfterMinutes: 2, closeAfterMinutes: 5 },
    look: ({ asOf, dueSince }, { minutes }) =>
      foundIf(dueSince !== null && hoursBetween(dueSince, asOf) * 60 >= minutes, {
        since: timeOf(dueSince),
      }),
  }),
  /** The share of entries of one type whose latest attempt failed. */
  failure_rate: rule('failure_rate', {
    isOn: true,
    settings: { percent: 50, count: 10, minutes: 15, openAfterMinutes: 5, closeAfterMinutes: 15 },
    look: ({ failing }, { percent, count, minutes }) =>
      failing
        .filter(({ failed, done }) => failed >= count && failed * 100 >= (failed + done) * percent)
        .map(({ type, failed, done }) => ({
          subject: type,
          failed,
          tried: failed + done,
          minutes,
        })),
  }),
  quarantine: rule('quarantine', {
    isOn: true,
    settings: { count: 1, openAfterMinutes: 0, closeAfterMinutes: 5 },
    look: ({ quarantined }, { count }) =>
      foundIf(quarantined >= count, { count: bounded(quarantined) }),
  }),
  /**
   * Events that pull saw and push missed, while it delivered others. Needs a poller with `expects`.
   */
  missed: rule('missed', {
    isOn: true,
    settings: { count: 1, hours: 24, openAfterMinutes: 5, closeAfterMinutes: 60 },
    look: ({ missed }, { count, hours }) =>
      foundIf(missed >= count, { count: bounded(missed), hours }),
  }),
  /** Hours without a delivery. Off by default, because only you know how quiet your feed may be. */
  silence: rule('silence', {
    isOn: false,
    settings: { hours: 24, openAfterMinutes: 5, closeAfterMinutes: 5 },
    look: ({ asOf, lastPushAt }, { hours }) =>
      foundIf(lastPushAt !== null && hoursBetween(lastPushAt, asOf) >= hours, {
        since: timeOf(lastPushAt),
      }),
  }),
  /**
   * Push delivers nothing. Either pull sees events that push should have delivered. Or a delivery
   * was rejected with a pausing status, and none was accepted for 1.5 times the longest silence in
   * two weeks. Strangers send unsigned requests at any time, so a rejection alone proves nothing.
   */
  probable_pause: rule('probable_pause', {
    isOn: true,
    settings: { count: 1, openAfterMinutes: 5, closeAfterMinutes: 10 },
    look: (facts, { count }) => {
      const { unpushed, lastPushAt, otherRefusals } = facts
      const since = timeOf(lastPushAt)
      if (unpushed >= count) return [{ count: bounded(unpushed), since }]
      return foundIf(otherRefusals > 0 && isUnusuallyQuiet(facts) === true, {
        text: texts.probable_pause.refused,
        count: bounded(otherRefusals),
        since,
      })
    },
  }),
  /**
   * A signature that matches no secret, followed by events that push missed, or by a longer silence
   * than usual. On a quiet night one forged delivery proves nothing. With too little data about the
   * usual silence, the rule uses one hour.
   */
  unknown_secret: rule('unknown_secret', {
    isOn: true,
    settings: { count: 1, openAfterMinutes: 60, closeAfterMinutes: 5 },
    look: (facts, { count }) => {
      const { mismatches, unpushed, lastPushAt } = facts
      const isMissed = unpushed > 0 || isUnusuallyQuiet(facts) !== false
      const since = timeOf(lastPushAt)
      return foundIf(mismatches >= count && isMissed, { count: bounded(mismatches), since })
    },
  }),
  /** A rotation that does not end. The service signs with an old secret for 24 hours at most. */
  old_secret: rule('old_secret', {
    isOn: true,
    settings: { hours: 25, openAfterMinutes: 0, closeAfterMinutes: 60 },
    look: ({ oldSecrets }) =>
      oldSecrets.map(({ secret, newer, hours }) => ({
        subject: secret,
        newer,
        hours: Math.floor(hours),
      })),
  }),
  /** A cursor that was lost in the last hours. Only time closes this alert. */
  stream_gap: rule('stream_gap', {
    isOn: true,
    settings: { hours: 24, openAfterMinutes: 0, closeAfterMinutes: 0 },
    look: ({ streamGaps }) => streamGaps.map(({ stream, code }) => ({ subject: stream, code })),
  }),
  /** A pause that somebody may have forgotten. */
  paused: rule('paused', {
    isOn: true,
    settings: { hours: 24, openAfterMinutes: 0, closeAfterMinutes: 0 },
    look: ({ asOf, pauses }, { hours }) =>
      pauses
        .map(({ type, pausedAt }) => ({ type, since: new Date(pausedAt) }))
        .filter(({ since }) => hoursBetween(since, asOf) >= hours)
        .map(({ type, since }) => ({
          subject: type,
          what: type === '' ? 'all types' : `type ${type}`,
          since: timeOf(since),
        })),
  }),
  /**
   * A problem of the health, such as events that cannot be stored. It opens at once, because these
   * last by definition, and only one process may see it. Due entries have a rule of their own.
   */
  problem: rule('problem', {
    isOn: true,
    settings: { openAfterMinutes: 0, closeAfterMinutes: 5 },
    look: ({ problems }) =>
      problems
        .filter(({ code }) => code !== 'nothing_claimed')
        .map(({ code, message }) => ({ subject: code, text: '{says}', says: message })),
  }),
} satisfies Record<keyof typeof texts, unknown>

export type AlertRuleName = keyof typeof ruleTable

/** Whether a text is the name of a rule. */
export function isRuleName(name: string): name is AlertRuleName {
  return Object.hasOwn(ruleTable, name)
}

/** How to fix the problem of an alert, in one line; empty for a rule of another version. */
export function fixOf(name: string): string {
  return isRuleName(name) ? texts[name].fix : ''
}

function bounded(count: number): string {
  return count > countUpTo ? `more than ${countUpTo}` : String(count)
}

function timeOf(time: Date | null): string {
  return time?.toISOString() ?? 'the beginning'
}

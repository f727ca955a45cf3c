import type { HealthProblem } from '@feed-receiver/inbox'
import { isUnusuallyQuiet, type AlertInputs } from '@feed-receiver/inbox/extend'

/** Everything that the rules read, from one point in time. */
export interface RuleInputs extends AlertInputs {
  /** The problems of the health. */
  problems: readonly HealthProblem[]
}

/** One problem that a rule found. */
export interface Finding {
  /** The type, secret or stream it is about; '' if the rule covers the whole inbox. */
  subject: string
  message: string
}

/** Every rule by its name, with its default settings. */
export const ruleTable = {
  /** Entries that are dead. The alert closes when they are retried, or after a number of days. */
  dead: rule('dead', {
    message: 'Dead entries of type {subject}: {count}.',
    fix: 'Read their errors with `feed-receiver inbox list --state dead`, fix the handler, then run `feed-receiver inbox retry`.',
    isOn: true,
    settings: { count: 1, days: 7, openAfterMinutes: 0, closeAfterMinutes: 15 },
    detect: ({ dead }, { count }) =>
      dead
        .filter((one) => one.count >= count)
        .map((one) => ({ subject: one.type, count: bounded(one.count) })),
  }),
  /** A due entry that no worker claims. An entry in backoff does not count. */
  oldest_pending: rule('oldest_pending', {
    message: 'The oldest pending entry has waited for a worker since {since}.',
    fix: 'Check that a process runs `inbox.work(handlers)` and that no handler hangs; add workers if the backlog grows.',
    isOn: true,
    settings: { minutes: 15, openAfterMinutes: 2, closeAfterMinutes: 5 },
    detect: ({ asOf, dueSince }, { minutes }) =>
      foundIf(dueSince !== null && hoursBetween(dueSince, asOf) * 60 >= minutes, {
        since: timeOf(dueSince),
      }),
  }),
  /** The share of entries of one type whose latest attempt failed. */
  failure_rate: rule('failure_rate', {
    message:
      '{failed} of {tried} entries of type {subject} failed in their latest attempt, within {minutes} minutes.',
    fix: 'Read an error with `feed-receiver inbox show <event id>`, and fix the handler or the service that it calls; retries continue by themselves.',
    isOn: true,
    settings: { percent: 50, count: 10, minutes: 15, openAfterMinutes: 5, closeAfterMinutes: 15 },
    detect: ({ failing }, { percent, count, minutes }) =>
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
    message: 'Deliveries in quarantine: {count}.',
    fix: 'List them with `feed-receiver inbox quarantine list`, then release or discard each one.',
    isOn: true,
    settings: { count: 1, openAfterMinutes: 0, closeAfterMinutes: 5 },
    detect: ({ quarantined }, { count }) =>
      foundIf(quarantined >= count, { count: bounded(quarantined) }),
  }),
  /**
   * Events that pull saw and push missed, while it delivered others. Needs a poller with `expects`.
   */
  missed: rule('missed', {
    message: 'Events that push missed and only pull returned, within {hours} hours: {count}.',
    fix: 'Check `feed-receiver inbox gaps` and your delivery rules; the events themselves were handled when they were pulled.',
    isOn: true,
    settings: { count: 1, hours: 24, openAfterMinutes: 5, closeAfterMinutes: 60 },
    detect: ({ missed }, { count, hours }) =>
      foundIf(missed >= count, { count: bounded(missed), hours }),
  }),
  /** Hours without a delivery. Off by default, because only you know how quiet your feed may be. */
  silence: rule('silence', {
    message: 'No delivery has been accepted since {since}.',
    fix: "Check in the service's dashboard whether the destination is paused, then send a test delivery.",
    isOn: false,
    settings: { hours: 24, openAfterMinutes: 5, closeAfterMinutes: 5 },
    detect: ({ asOf, lastPushAt }, { hours }) =>
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
    message:
      'The service has probably paused this destination: push has missed {count} events since {since}.',
    fix: "Find the answer that paused it with `feed-receiver inbox rejections`, fix the cause, then send a test delivery from the service's dashboard.",
    isOn: true,
    settings: { count: 1, openAfterMinutes: 5, closeAfterMinutes: 10 },
    detect: (inputs, { count }) => {
      const { unpushed, lastPushAt, otherRejections } = inputs
      const since = timeOf(lastPushAt)
      if (unpushed >= count) return [{ count: bounded(unpushed), since }]
      return foundIf(otherRejections > 0 && isUnusuallyQuiet(inputs) === true, {
        text: 'The service has probably paused this destination: rejected deliveries since {since}: {count}, and none accepted for longer than usual.',
        count: bounded(otherRejections),
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
    message:
      'Deliveries signed with an unknown secret: {count}. No delivery has been accepted since {since}.',
    fix: "Compare the secret of the destination with FEED_SIGNING_SECRET, set the missing one as FEED_SIGNING_SECRET_NEXT, restart, then send a test delivery from the service's dashboard.",
    isOn: true,
    settings: { count: 1, openAfterMinutes: 60, closeAfterMinutes: 5 },
    detect: (inputs, { count }) => {
      const { mismatches, unpushed, lastPushAt } = inputs
      const isMissed = unpushed > 0 || isUnusuallyQuiet(inputs) !== false
      const since = timeOf(lastPushAt)
      return foundIf(mismatches >= count && isMissed, { count: bounded(mismatches), since })
    },
  }),
  /** A rotation that does not end. The service signs with an old secret for 24 hours at most. */
  old_secret: rule('old_secret', {
    message:
      'The secret {subject} still signs deliveries {hours} hours after {newer} began to sign.',
    fix: 'Do not remove it yet: find the destination that still uses it. If there is none, the secret has leaked; follow docs/rotation.md.',
    isOn: true,
    settings: { hours: 25, openAfterMinutes: 0, closeAfterMinutes: 60 },
    detect: ({ oldSecrets }) =>
      oldSecrets.map(({ secret, newer, hours }) => ({
        subject: secret,
        newer,
        hours: Math.floor(hours),
      })),
  }),
  /** A cursor that was lost in the last hours. Only time closes this alert. */
  stream_gap: rule('stream_gap', {
    message: 'The cursor of the stream {subject} was lost ({code}), so its events may have a gap.',
    fix: 'Check the times with `feed-receiver inbox gaps --json`, and keep the poller running so that its cursor does not expire.',
    isOn: true,
    settings: { hours: 24, openAfterMinutes: 0, closeAfterMinutes: 0 },
    detect: ({ streamGaps }) => streamGaps.map(({ stream, code }) => ({ subject: stream, code })),
  }),
  /** A pause that somebody may have forgotten. */
  paused: rule('paused', {
    message: 'Handling of {what} has been paused since {since}.',
    fix: 'Run `feed-receiver inbox resume`, or find out why it is still paused; its entries wait and are not lost.',
    isOn: true,
    settings: { hours: 24, openAfterMinutes: 0, closeAfterMinutes: 0 },
    detect: ({ asOf, pauses }, { hours }) =>
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
    message: 'The health reports the problem {subject}.',
    fix: 'Then check with `feed-receiver doctor` that all is well.',
    isOn: true,
    settings: { openAfterMinutes: 0, closeAfterMinutes: 5 },
    detect: ({ problems }) =>
      problems
        .filter(({ code }) => code !== 'nothing_claimed')
        .map(({ code, message }) => ({ subject: code, text: '{says}', says: message })),
  }),
}

export type AlertRuleName = keyof typeof ruleTable

/** Whether a text is the name of a rule. */
export function isRuleName(name: string): name is AlertRuleName {
  return Object.hasOwn(ruleTable, name)
}

/** How to fix the problem of an alert, in one line; empty for a rule of another version. */
export function fixOf(name: string): string {
  return isRuleName(name) ? ruleTable[name].fix : ''
}

/** The inbox counts up to one more. */
const countUpTo = 1_000

function bounded(count: number): string {
  return count > countUpTo ? `more than ${countUpTo}` : String(count)
}

function timeOf(time: Date | null): string {
  return time?.toISOString() ?? 'the beginning'
}

function hoursBetween(since: Date, until: Date): number {
  return (until.getTime() - since.getTime()) / 3_600_000
}

interface RuleRow<Setting extends string> {
  /** The message of an opening alert, with `{names}` as placeholders for values. */
  message: string
  /** How to fix the problem, in one line. */
  fix: string
  /** Whether the rule is on by default. */
  isOn: boolean
  settings: Record<Setting | 'openAfterMinutes' | 'closeAfterMinutes', number>
  detect(inputs: RuleInputs, settings: Record<Setting, number>): Found[]
}

/** The values that a message names beside its subject. */
interface Found {
  text?: string
  [value: string]: string | number | undefined
}

/** Makes a rule. */
function rule<Name extends string, Setting extends string>(name: Name, row: RuleRow<Setting>) {
  const { message, fix, isOn, settings: defaults, detect } = row
  return {
    name,
    isOn,
    settings: defaults,
    message,
    fix,
    /** Returns the check with these settings instead of some defaults. */
    detectWith(given: Readonly<Record<string, number>>) {
      const settings = { ...defaults, ...given }
      return (inputs: RuleInputs): Finding[] =>
        detect(inputs, settings).map(({ text = message, ...values }) => {
          const subject = String(values['subject'] ?? '')
          return { subject, message: fill(text, { ...values, subject }) }
        })
    },
  }
}

function foundIf(isFound: boolean, values: Found): Found[] {
  return isFound ? [values] : []
}

/** Fills values into the placeholders of a text. */
function fill(text: string, values: Record<string, unknown>): string {
  return text.replaceAll(/\{(\w+)\}/g, (_, key: string) => String(values[key]))
}

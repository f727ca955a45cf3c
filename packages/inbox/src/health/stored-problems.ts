import { bounded, type AlertInputs, type AlertLimits } from './alert-inputs.ts'
import { hoursBetween, isUnusuallyQuiet } from './find-pause.ts'
import { quoteWord } from '../clean-text.ts'
import { describePause } from '../admin/pauses.ts'
import { problem } from './problem-row.ts'

/**
 * The problems that the tables show to every process alike: the health lists them as warnings, and
 * alerts notify of them. An app may give its alerts other settings.
 */
export const storedProblems = {
  /** Entries that are dead. The alert closes when they are retried, or after a number of days. */
  dead: problem({
    message: 'Dead entries of type {subject}: {count}.',
    fix: 'Read their errors with `feed-receiver inbox errors`, fix the handler, then run `feed-receiver inbox retry`.',
    settings: { count: 1, days: 7 },
    detect: ({ dead }: AlertInputs, { count }) =>
      dead
        .filter((one) => one.count >= count)
        .map((one) => ({ subject: one.type, count: bounded(one.count) })),
  }),
  /** A due entry that no worker claims. An entry in backoff does not count. */
  oldest_pending: problem({
    message: 'The oldest pending entry has waited for a worker since {since}.',
    fix: 'Check that a process runs `inbox.work(handlers)` and that no handler hangs; add workers if the backlog grows.',
    settings: { minutes: 15 },
    detect: ({ asOf, dueSince }: AlertInputs, { minutes }) =>
      dueSince !== null &&
      hoursBetween(dueSince, asOf) * 60 >= minutes && { since: timeOf(dueSince) },
  }),
  /** The share of entries of one type whose latest attempt failed. */
  failure_rate: problem({
    message:
      '{failed} of {tried} entries of type {subject} failed in their latest attempt, within {minutes} minutes.',
    fix: 'Read the errors with `feed-receiver inbox errors`, and fix the handler or the service that it calls; retries continue by themselves.',
    settings: { percent: 50, count: 10, minutes: 15 },
    detect: ({ failureRates }: AlertInputs, { percent, count, minutes }) =>
      failureRates
        .filter(({ failed, done }) => failed >= count && failed * 100 >= (failed + done) * percent)
        .map(({ type, failed, done }) => ({
          subject: type,
          failed,
          tried: failed + done,
          minutes,
        })),
  }),
  quarantine: problem({
    message: 'Deliveries in quarantine: {count}.',
    fix: 'List them with `feed-receiver inbox quarantine list`, then release or discard them.',
    settings: { count: 1 },
    detect: ({ quarantined }: AlertInputs, { count }) =>
      quarantined >= count && { count: bounded(quarantined) },
  }),
  /**
   * Events that pull saw and push missed, while it delivered others. Needs a poller with `expects`.
   */
  missed: problem({
    message: 'Events that push missed and only pull returned, within {hours} hours: {count}.',
    fix: 'Check `feed-receiver inbox gaps` and your delivery rules; the events themselves were handled when they were pulled.',
    settings: { count: 1, hours: 24 },
    detect: ({ missed }: AlertInputs, { count, hours }) =>
      missed >= count && { count: bounded(missed), hours },
  }),
  /** Hours without a delivery. Only you know how quiet your feed may be. */
  silence: problem({
    isOptional: true,
    message: 'No delivery has been accepted since {since}.',
    fix: "Check in the service's dashboard whether the destination is paused, then send a test delivery.",
    settings: { hours: 24 },
    detect: ({ asOf, lastPushAt }: AlertInputs, { hours }) =>
      lastPushAt !== null &&
      hoursBetween(lastPushAt, asOf) >= hours && { since: timeOf(lastPushAt) },
  }),
  /**
   * Push delivers nothing. Either pull sees events that push should have delivered. Or a delivery
   * was rejected with a pausing status, and none was accepted for 1.5 times the longest silence in
   * two weeks. Strangers send unsigned requests at any time, so a rejection alone proves nothing.
   */
  probable_pause: problem({
    message:
      'The service has probably paused this destination: push has missed {count} events since {since}.',
    fix: "Find the answer that paused it with `feed-receiver inbox rejections`, fix the cause, then send a test delivery from the service's dashboard.",
    settings: { count: 1 },
    detect: (inputs: AlertInputs, { count }) => {
      const { unpushed, lastPushAt } = inputs
      const others = countRejected(inputs, (reason) => reason !== mismatch)
      const since = timeOf(lastPushAt)
      if (unpushed >= count) return { count: bounded(unpushed), since }
      const message = `The service has probably paused this destination: rejected deliveries since ${since}: ${bounded(others)}, and none accepted for longer than usual.`
      const isPaused = others > 0 && isUnusuallyQuiet(inputs) === true
      return isPaused && { message, count: bounded(others), since }
    },
  }),
  /**
   * A signature that matches no secret, followed by events that push missed, or by a longer silence
   * than usual. On a quiet night one forged delivery proves nothing. With too little data about the
   * usual silence, the rule uses one hour.
   */
  unknown_secret: problem({
    message:
      'Deliveries signed with an unknown secret: {count}. No delivery has been accepted since {since}.',
    fix: "Compare the secret of the destination with FEED_SIGNING_SECRET, set the missing one as FEED_SIGNING_SECRET_NEXT, restart, then send a test delivery from the service's dashboard.",
    settings: { count: 1 },
    detect: (inputs: AlertInputs, { count }) => {
      const { unpushed, lastPushAt } = inputs
      const mismatches = countRejected(inputs, (reason) => reason === mismatch)
      const isQuiet =
        isUnusuallyQuiet(inputs) ??
        (lastPushAt === null || hoursBetween(lastPushAt, inputs.asOf) >= 1)
      const isMissed = unpushed > 0 || isQuiet
      const since = timeOf(lastPushAt)
      return mismatches >= count && isMissed && { count: bounded(mismatches), since }
    },
  }),
  /** A rotation that does not end. The service signs with an old secret for 24 hours at most. */
  old_secret: problem({
    message:
      'The secret {subject} still signs deliveries {hours} hours after {newer} began to sign.',
    fix: 'Do not remove it yet: find the destination that still uses it. If there is none, the secret has leaked; follow docs/rotation.md.',
    settings: { hours: 25 },
    detect: ({ oldSecrets }: AlertInputs) =>
      oldSecrets.map(({ secret, newer, hours }) => ({
        subject: secret,
        newer,
        hours: Math.floor(hours),
      })),
  }),
  /** A cursor that was lost in the last hours. Only time closes this alert. */
  stream_gap: problem({
    message: 'The cursor of the stream {subject} was lost ({code}), so its events may have a gap.',
    fix: 'Check the times with `feed-receiver inbox gaps`, and keep the poller running so that its cursor does not expire.',
    settings: { hours: 24 },
    detect: ({ streamGaps }: AlertInputs) =>
      streamGaps.map(({ stream, code }) => ({ subject: stream, code })),
  }),
  /** A pause that somebody may have forgotten. */
  paused_long: problem({
    message: '{what} has been paused since {since} by {by}: {reason}.',
    fix: 'New events are stored and wait; resume handling with `feed-receiver inbox resume`, with `--type <type>` if a type is paused.',
    settings: { hours: 24 },
    detect: ({ asOf, pauses }: AlertInputs, { hours }) =>
      pauses
        .filter(({ since }) => hoursBetween(new Date(since), asOf) >= hours)
        .map((pause) => {
          const option = pause.type === null ? '' : ` --type ${quoteWord(pause.type)}`
          return {
            subject: pause.type ?? '',
            ...describePause(pause),
            reason: pause.reason.replace(/\.$/, ''),
            fix: `New events are stored and wait; resume handling with \`feed-receiver inbox resume${option}\`, or inbox.resume().`,
          }
        }),
  }),
}

export type StoredProblemCode = keyof typeof storedProblems

export type StoredSettings = Partial<Record<StoredProblemCode, Readonly<Record<string, number>>>>

/** How far back the inputs must reach for these settings. */
export function limitsOf(given: StoredSettings = {}): AlertLimits {
  const { dead, failure_rate: failureRate, missed, old_secret: oldSecret } = storedProblems
  const failure = { ...failureRate.settings, ...given.failure_rate }
  return {
    deadDays: { ...dead.settings, ...given.dead }.days,
    failureMinutes: failure.minutes,
    failureCount: failure.count,
    missedHours: { ...missed.settings, ...given.missed }.hours,
    oldSecretHours: { ...oldSecret.settings, ...given.old_secret }.hours,
    gapHours: { ...storedProblems.stream_gap.settings, ...given.stream_gap }.hours,
  }
}

const mismatch = 'signature_mismatch'

function countRejected({ rejected }: AlertInputs, isOne: (reason: string) => boolean): number {
  return rejected.filter(({ reason }) => isOne(reason)).reduce((sum, { count }) => sum + count, 0)
}

function timeOf(time: Date | null): string {
  return time?.toISOString() ?? 'the beginning'
}

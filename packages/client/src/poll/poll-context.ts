import { randomUUID } from 'node:crypto'
import type { Clock } from '@feed-receiver/core/node'
import { checkOption } from '../errors.ts'
import { createProgress } from '../progress.ts'
import { longestWaitMs } from '../rate-limit.ts'
import { toQuery } from '../requester.ts'
import { deadlineIn, hold, type Deadline } from '../wait.ts'
import type { PollAlert, PollAlertCode, PollerOptions, PollStream } from './poller-options.ts'

/** The state that all rounds of one poller share. */
export type PollContext = ReturnType<typeof createPollContext>

/** Errors: `ClientError` `bad_option`. */
export function createPollContext({
  filter = {},
  account = 'default',
  intervalMs = 60_000,
  rereadIntervalMs = 3_600_000,
  probeIntervalMs = 3_600_000,
  leaseMs = 30_000,
  lastAnswer = () => null,
  onAlert = ({ message }) => warn(message),
  onError,
  ...given
}: PollerOptions) {
  const times = { intervalMs, rereadIntervalMs, probeIntervalMs, leaseMs }
  for (const [name, value] of Object.entries(times)) {
    checkOption(value > 0, `${name} must be more than 0, but it is ${value}.`)
  }
  for (const [name, value] of Object.entries({ intervalMs, leaseMs })) {
    checkOption(value < 2 ** 31, `${name} must be less than 2 ** 31, but it is ${value}.`)
  }
  const { clock, baseUrl } = given.client
  const { provider, type, confirmation } = filter
  const query = toQuery({ provider, type, confirmation })
  const report = reportTo(onError ?? warnOnceAMinute(clock))
  return {
    ...given,
    ...times,
    filter,
    lastAnswer,
    report,
    // A cursor is valid only for its service, account, endpoint and filter.
    stream: `${account} ${baseUrl}/v1/events${query && `?${query}`}`,
    holder: randomUUID(),
    alerts: createAlerts(onAlert, report),
    /** When the poller last checked for a paused destination, in epoch milliseconds. */
    pauseCheckedAt: clock.now(),
    /** Whether to retry after a suspension: a person may have fixed the cause before a restart. */
    isFirst: true,
    /** How many rounds in a row have failed with a transient error and without a page. */
    failures: 0,
    /** How many rounds in a row have lost their cursor. */
    cursorsLost: 0,
    wait: rememberWait(clock),
    /** Of all rounds since one has read everything. */
    progress: createProgress(),
    now: () => clock.now(),
    deadlineIn: (ms: number) => deadlineIn(ms, clock),
    hold: <T>(work: () => Promise<T>) => hold(clock, work),
  }
}

function warn(warning: unknown): void {
  process.emitWarning(String(warning), 'FeedPollerWarning')
}

/** Warns of the same error once a minute, because in an outage each round and renewal fails. */
function warnOnceAMinute(clock: Clock): (error: unknown) => void {
  const quiet = new Map<string, Deadline>()
  return (error) => {
    const text = String(error)
    for (const [known, { leftMs }] of quiet) if (leftMs() <= 0) quiet.delete(known)
    if (quiet.has(text)) return
    quiet.set(text, deadlineIn(60_000, clock))
    warn(error)
  }
}

/** Never throws or rejects, because an unhandled rejection would end the process. */
function reportTo(onError: (error: unknown) => unknown): (error: unknown) => void {
  const report = async (error: unknown) => onError(error)
  return (error) => void report(error).catch(() => warn(error))
}

/** Sends each alert once, until its cause is over. Never throws or rejects. */
function createAlerts(onAlert: (alert: PollAlert) => unknown, report: (error: unknown) => void) {
  const raised = new Set<PollAlertCode>()
  const send = async (alert: PollAlert) => onAlert(alert)
  return {
    raise(alert: PollAlert): void {
      const { code } = alert
      if (raised.has(code)) return
      raised.add(code)
      send(alert).catch((error: unknown) => {
        // While the cause lasts, the next round tries again.
        raised.delete(code)
        report(error)
      })
    },
    /** Resets the alerts whose cause is over, so that they can be sent again. */
    resolve(isOver: (code: PollAlertCode) => boolean): void {
      for (const code of raised) if (isOver(code)) raised.delete(code)
    },
  }
}

/**
 * Remembers the stored wait of this process by a monotonic clock. Another process only finds its time
 * of day, and the time may have been set back since.
 */
function rememberWait(clock: Clock) {
  let own: { until: number; end: Deadline } | undefined
  return {
    note(until: Date, waitMs: number): void {
      own = { until: until.getTime(), end: deadlineIn(waitMs, clock) }
    },
    /** How long a stored wait still lasts; null if it does not end by itself. */
    leftMs({ waitUntil }: Pick<PollStream, 'waitUntil'>): number | null {
      if (waitUntil === null) return null
      const until = Date.parse(waitUntil)
      if (own?.until === until) return own.end.leftMs()
      const leftMs = until - clock.now()
      return leftMs > longestWaitMs ? 0 : leftMs
    },
  }
}

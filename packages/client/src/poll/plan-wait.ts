import type { Usage } from '../api/index.ts'
import type { ClientError } from '../errors.ts'
import { longestWaitMs } from '../rate-limit.ts'
import { backoffMs } from '../wait.ts'
import type { PollAlert } from './poller-options.ts'
import type { PollContext } from './poll-context.ts'

/** Why a stream is not read for some time. */
export interface PlannedWait {
  /** A wait ends by itself; a suspension needs a person and is only probed. */
  outcome: 'waiting' | 'suspended'
  code: PollAlert['code']
  /** Until then no request is made: null means for ever, or until the key changes. */
  waitMs: number | null
  alert: PollAlert | null
}

const hourMs = 3_600_000

/** Decides what to do after a failed request, by the table of errors. */
export function planAfter(
  { code, message, retryAt }: ClientError,
  { clock, failures, probeIntervalMs }: PollContext,
): PlannedWait {
  const planned = (
    outcome: PlannedWait['outcome'],
    waitMs: number | null,
    isAlert = true,
  ): PlannedWait => ({ outcome, code, waitMs, alert: isAlert ? { code, message } : null })

  if (code === 'rate_limited') {
    const waitMs = retryAt ? retryAt.getTime() - clock.now() : 60_000
    // A burst limit ends within a minute; an exhausted monthly quota needs a person.
    return planned('waiting', waitMs, waitMs > 600_000 || failures >= 10)
  }
  if (code === 'unavailable') {
    // The client has already retried for half a minute.
    const waitMs = backoffMs(16) * Math.min(5, 2 ** Math.min(failures - 1, 3))
    return planned('waiting', waitMs, failures >= 3)
  }
  // There is no key; nothing was sent.
  if (code === 'bad_option') return planned('waiting', 60_000)
  const isForGood = code === 'unauthorized' || code === 'invalid_request'
  if (isForGood || !Number.isFinite(probeIntervalMs)) return planned('suspended', null)
  const said = `${message} The poller retries from the last stored page by itself.`
  return { ...planned('suspended', probeIntervalMs), alert: { code, message: said } }
}

/** Decides whether the next poll has to wait although this one has read everything. */
export function planNext({
  client,
  clock,
  intervalMs,
  cursorsLost,
}: PollContext): PlannedWait | null {
  const { usage } = client
  if (usage && isExhausted(usage, clock.now())) {
    const code = 'quota_exhausted'
    // The service may be wrong about its own quota: an early request costs little, many do not.
    const waitMs = Math.max(intervalMs, Math.min(Date.parse(usage.resetsAt) - clock.now(), hourMs))
    const message =
      `The monthly quota of ${usage.limit} requests is used up until ${usage.resetsAt}, so the ` +
      'poller only tries once an hour. Find out what else uses the key, or ask the service for more.'
    return { outcome: 'waiting', code, waitMs, alert: { code, message } }
  }
  if (cursorsLost < 2) return null
  // Reading from the newest events costs two requests, and each time leaves a gap.
  const waitMs = Math.min(intervalMs * 2 ** Math.min(cursorsLost - 1, 16), hourMs)
  return { outcome: 'waiting', code: 'cursor_lost', waitMs, alert: null }
}

/** The share of the remaining monthly quota that polling at an even pace may use. */
const share = 0.9

function isExhausted({ limit, requests, resetsAt }: Usage, nowMs: number): boolean {
  return Date.parse(resetsAt) > nowMs && (limit - requests) * share < 1
}

/** After how many milliseconds to poll again once everything has been read. */
export function nextPollMs({ client, clock, intervalMs }: PollContext): number {
  return Math.max(intervalMs, budgetIntervalMs(client.usage, clock.now()))
}

/**
 * The interval at which the rest of the month's quota lasts, also if others use it. One poll a
 * minute uses 45 % of a month, so this is 0 or little until others use more.
 */
function budgetIntervalMs(usage: Usage | null, nowMs: number): number {
  if (!usage || isExhausted(usage, nowMs)) return 0
  const leftMs = Math.min(Math.max(0, Date.parse(usage.resetsAt) - nowMs), longestWaitMs)
  // The numbers are of the month before. An exhausted quota would make the interval 0 / 0.
  if (leftMs === 0) return 0
  return Math.min(leftMs / ((usage.limit - usage.requests) * share), hourMs)
}

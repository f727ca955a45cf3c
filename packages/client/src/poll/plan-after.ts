import { backoffMs } from '../backoff.ts'
import type { ClientError } from '../errors.ts'

interface FailurePlan {
  /** A wait ends by itself; a suspension is for a person, and only probed. */
  outcome: 'waiting' | 'suspended'
  /** Until when to ask for nothing; null for ever, or until there is another key. */
  waitUntil: Date | null
  /** Whether a person should know. */
  isAlert: boolean
}

/** Says what to do about a request that failed, as the table of errors has it. */
export function planAfter(
  { code, retryAt }: ClientError,
  {
    nowMs,
    failures,
    probeIntervalMs,
  }: { nowMs: number; failures: number; probeIntervalMs: number },
): FailurePlan {
  if (code === 'rate_limited') {
    const waitUntil = retryAt ?? new Date(nowMs + 60_000)
    // A burst is over within a minute; a month's allowance is a matter for a person.
    return { outcome: 'waiting', waitUntil, isAlert: waitUntil.getTime() - nowMs > 600_000 }
  }
  if (code === 'unavailable') {
    // The client has tried for half a minute by itself.
    const waitMs = backoffMs(16, Math.random) * Math.min(5, 2 ** Math.min(failures, 3))
    return { outcome: 'waiting', waitUntil: new Date(nowMs + waitMs), isAlert: failures >= 2 }
  }
  // There is no key; nothing was sent.
  if (code === 'bad_option') {
    return { outcome: 'waiting', waitUntil: new Date(nowMs + 60_000), isAlert: true }
  }
  const isForGood = code === 'unauthorized' || code === 'invalid_request'
  const isProbed = !isForGood && Number.isFinite(probeIntervalMs)
  const waitUntil = isProbed ? new Date(nowMs + probeIntervalMs) : null
  return { outcome: 'suspended', waitUntil, isAlert: true }
}

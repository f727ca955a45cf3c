import type { ClientError } from '../errors.ts'
import { backoffMs } from '../wait.ts'
import type { PollPlace } from './poll-place.ts'

/**
 * Says what to do about a request that failed, as the table of errors has it. A wait ends by itself; a
 * suspension is for a person, and only probed. `waitUntil` is until when to ask for nothing: null for
 * ever, or until there is another key.
 */
export function planAfter(
  { code, retryAt }: ClientError,
  { now, failures, probeIntervalMs }: Pick<PollPlace, 'now' | 'failures' | 'probeIntervalMs'>,
): { outcome: 'waiting' | 'suspended'; waitUntil: Date | null; isAlert: boolean } {
  const after = (ms: number) => new Date(now() + ms)
  if (code === 'rate_limited') {
    const waitUntil = retryAt ?? after(60_000)
    // A burst is over within a minute; a month's allowance is a matter for a person.
    return { outcome: 'waiting', waitUntil, isAlert: waitUntil > after(600_000) }
  }
  if (code === 'unavailable') {
    // The client has tried for half a minute by itself.
    const waitUntil = after(backoffMs(16) * Math.min(5, 2 ** Math.min(failures, 3)))
    return { outcome: 'waiting', waitUntil, isAlert: failures >= 2 }
  }
  // There is no key; nothing was sent.
  if (code === 'bad_option') return { outcome: 'waiting', waitUntil: after(60_000), isAlert: true }
  const isForGood = code === 'unauthorized' || code === 'invalid_request'
  const isProbed = !isForGood && Number.isFinite(probeIntervalMs)
  const waitUntil = isProbed ? after(probeIntervalMs) : null
  return { outcome: 'suspended', waitUntil, isAlert: true }
}

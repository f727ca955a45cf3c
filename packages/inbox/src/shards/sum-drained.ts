import { InboxError } from '../errors.ts'
import type { Drained } from '../handle/worker.ts'

/**
 * Adds up the results of the drains of open shards. Reports a failed drain, and throws if all
 * failed or the caller made a mistake. After a failure, or with a closed shard, `isEmpty` is false.
 */
export function sumDrained(
  drains: readonly PromiseSettledResult<Drained | undefined>[],
  count: number,
  report: (error: unknown) => void,
): Drained {
  const failed = drains.filter((drain) => drain.status === 'rejected')
  const mistake = failed.find(({ reason }) => reason instanceof InboxError)
  if (mistake || failed.length === drains.length) throw mistake?.reason ?? failed[0]?.reason
  for (const { reason } of failed) report(reason)
  const done = drains.flatMap((drain) => (drain.status === 'fulfilled' ? (drain.value ?? []) : []))
  return {
    handled: done.reduce((sum, drain) => sum + drain.handled, 0),
    failed: done.reduce((sum, drain) => sum + drain.failed, 0),
    isEmpty: done.length === count && done.every((drain) => drain.isEmpty),
  }
}

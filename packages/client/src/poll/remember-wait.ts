import type { Clock } from '@feed-receiver/core/node'
import { longestWaitMs } from '../rate-limit.ts'
import { deadlineIn, type Deadline } from '../wait.ts'
import type { PollStream } from './poller-options.ts'

/**
 * Remembers the stored wait of this process by a monotonic clock. Another process only finds its time
 * of day, and the time may have been set back since.
 */
export function rememberWait(clock: Clock) {
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

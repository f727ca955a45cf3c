import { InboxError } from '../errors.ts'
import type { Attempt } from './attempt.ts'

/** After this time a handler may hang. */
const slowMs = 60_000
const maxNamed = 10

/**
 * Creates a function that reports the handlers that have run for more than a minute, if there is a
 * new one: all of them in one error, and at most once a minute.
 */
export function createSlowReport(
  running: ReadonlySet<Pick<Attempt, 'job' | 'hasReturned'>>,
  onError: (error: unknown) => void,
  limitMs = slowMs,
): () => void {
  const reported = new WeakSet<object>()
  let reportedAt = -Infinity

  return () => {
    const now = performance.now()
    const slow = [...running].filter(
      ({ job, hasReturned }) => now - job.claimedAt > limitMs && !hasReturned(),
    )
    if (now - reportedAt < limitMs || slow.every((attempt) => reported.has(attempt))) return
    reportedAt = now
    for (const attempt of slow) reported.add(attempt)
    const named = slow.slice(0, maxNamed).map(({ job }) => {
      const seconds = Math.round((now - job.claimedAt) / 1_000)
      return `${job.groupId ?? 'unknown'} (entry ${job.data.entryId}, attempt ${job.retryCount + 1}, ${seconds} s)`
    })
    const [count, names] = [slow.length, named.join(', ')]
    const message = `${count} handlers have run for more than 60 s: ${names}. If they hang, pass \`signal\` to the calls they make, and restart this process: until an attempt times out after 15 minutes, it keeps its place in the worker.`
    onError(new InboxError('slow_handlers', message))
  }
}

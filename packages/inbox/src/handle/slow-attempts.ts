import { InboxError } from '../errors.ts'
import type { ClaimedJob } from '../queue/queue.ts'

/** After this time a handler may hang. */
const slowMs = 60_000
const maxNamed = 10

interface TimedAttempt {
  job: ClaimedJob
  returned: Promise<unknown>
}

/**
 * Makes a function that starts attempts also report the handlers that have run for more than a
 * minute: all of them in one error, and at most once a minute.
 */
export function watchSlowAttempts<Args extends unknown[], One extends TimedAttempt>(
  start: (...args: Args) => One,
  onError: (error: unknown) => void,
  limitMs = slowMs,
): (...args: Args) => One {
  const startedAt = new Map<One, number>()
  const reported = new WeakSet<One>()
  let reportedAt = -Infinity

  return (...args) => {
    const attempt = start(...args)
    startedAt.set(attempt, performance.now())
    const timer = setTimeout(report, limitMs).unref()
    void attempt.returned.finally(() => {
      clearTimeout(timer)
      startedAt.delete(attempt)
    })
    return attempt
  }

  function report(): void {
    const now = performance.now()
    // A timer may be some milliseconds early.
    const slow = [...startedAt].filter(([, at]) => now - at > limitMs * 0.9)
    if (slow.every(([attempt]) => reported.has(attempt))) return
    const waitMs = reportedAt + limitMs - now
    if (waitMs > 0) {
      setTimeout(report, waitMs).unref()
      return
    }
    reportedAt = now
    for (const [attempt] of slow) reported.add(attempt)
    const named = slow.slice(0, maxNamed).map(([{ job }, at]) => {
      const seconds = Math.round((now - at) / 1_000)
      return `${job.groupId ?? 'unknown'} (entry ${job.data.entryId}, attempt ${job.retryCount + 1}, ${seconds} s)`
    })
    const [count, names] = [slow.length, named.join(', ')]
    const message = `${count} handlers have run for more than 60 s: ${names}. If they hang, pass \`signal\` to the calls they make, and restart this process: until an attempt times out after 15 minutes, it keeps its place in the worker.`
    onError(new InboxError('slow_handlers', message))
  }
}

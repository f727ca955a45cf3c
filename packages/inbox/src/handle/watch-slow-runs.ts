import { problem } from '../errors.ts'
import type { ClaimedJob } from '../queue/queue.ts'
import type { Run } from './run.ts'

/** After this time a handler may hang. */
const slowMs = 60_000
const maxNamed = 10

type TimedRun = Pick<Run, 'job' | 'returned'>

/**
 * Makes a function that starts runs also report the handlers that have run for more than a minute:
 * all of them in one error, and at most once a minute.
 */
export function watchSlowRuns<OneRun extends TimedRun>(
  startRuns: (jobs: readonly ClaimedJob[]) => OneRun[],
  onError: (error: unknown) => void,
  limitMs = slowMs,
): (jobs: readonly ClaimedJob[]) => OneRun[] {
  const startedAt = new Map<OneRun, number>()
  const reported = new WeakSet<OneRun>()
  let reportedAt = -Infinity

  return (jobs) => {
    const runs = startRuns(jobs)
    for (const run of runs) {
      startedAt.set(run, performance.now())
      const timer = setTimeout(report, limitMs).unref()
      void run.returned.finally(() => {
        clearTimeout(timer)
        startedAt.delete(run)
      })
    }
    return runs
  }

  function report(): void {
    const now = performance.now()
    // A timer may be some milliseconds early.
    const slow = [...startedAt].filter(([, at]) => now - at > limitMs * 0.9)
    if (slow.every(([run]) => reported.has(run))) return
    const waitMs = reportedAt + limitMs - now
    if (waitMs > 0) {
      setTimeout(report, waitMs).unref()
      return
    }
    reportedAt = now
    for (const [run] of slow) reported.add(run)
    const named = slow.slice(0, maxNamed).map(([{ job }, at]) => {
      const seconds = Math.round((now - at) / 1_000)
      return `${job.groupId ?? 'unknown'} (entry ${job.data.entryId}, attempt ${job.retryCount + 1}, ${seconds} s)`
    })
    onError(problem('slow_handlers', { count: slow.length, named: named.join(', ') }))
  }
}

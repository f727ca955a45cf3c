import { InboxError } from '../errors.ts'
import type { Attempt } from './attempt.ts'
import type { ClaimedEntry } from './claim.ts'

/** After this time a handler may hang. */
const slowMs = 60_000
const maxNamed = 10

/**
 * Creates a function that keeps the claims of running attempts, by a heartbeat for each from time to
 * time. Call it when an attempt has begun. `send` resolves to false if another attempt has claimed the
 * job, whose attempt is then lost. Also reports handlers that hang.
 */
export function createHeartbeats(
  running: ReadonlySet<Attempt>,
  send: (job: ClaimedEntry) => Promise<boolean>,
  onError: (error: unknown) => void,
): () => void {
  let timer: NodeJS.Timeout | undefined
  /** Those without a job at their last heartbeat. */
  const isCommitting = new WeakSet<Attempt>()
  const reportSlow = createSlowReport(running, onError)
  return keepAlive

  function keepAlive(): void {
    timer ??= setTimeout(sendAll, intervalMs()).unref()
  }

  function sendAll(): void {
    timer = undefined
    if (running.size === 0) return
    keepAlive()
    for (const attempt of running) void sendFor(attempt).catch(onError)
    reportSlow()
  }

  async function sendFor(attempt: Attempt): Promise<void> {
    if (await send(attempt.job)) return
    // The heartbeat may have waited for its commit, which has completed the job. A commit that still
    // has no answer at the next heartbeat hangs.
    if (attempt.hasReturned() && !isCommitting.has(attempt)) {
      isCommitting.add(attempt)
      return
    }
    attempt.lose(new InboxError('claim_lost', 'Another worker has claimed the entry.'))
  }

  /** Three heartbeats fit into the time after which a worker counts as dead. */
  function intervalMs(): number {
    const allowed = [...running].map(({ job }) => job.heartbeatSeconds ?? 30)
    return (Math.min(...allowed) * 1_000) / 3
  }
}

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

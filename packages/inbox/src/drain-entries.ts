import { heartbeatMs, type ClaimedJob, type Queue } from './queue.ts'
import type { Worker } from './worker.ts'

export interface DrainOptions {
  /**
   * For how long to begin runs, in milliseconds; those under way are waited for.
   * @default 20_000
   */
  forMs?: number
  /**
   * How many handlers may run at once.
   * @default 4
   */
  concurrency?: number
}

/** What a drain did. */
export interface Drained {
  /** Runs that ended an entry. */
  handled: number
  /** Runs that failed; their entries are tried again later, or dead. */
  failed: number
  /** Whether nothing was due any more. */
  isEmpty: boolean
}

/** Works off what is due until nothing is or the time is up. */
export async function drainEntries(
  queue: Queue,
  worker: Worker,
  { forMs = 20_000, concurrency = 4 }: DrainOptions,
  onError: (error: unknown) => void,
): Promise<Drained> {
  const endsAt = performance.now() + forMs
  const drained: Drained = { handled: 0, failed: 0, isEmpty: false }
  await Promise.all(Array.from({ length: concurrency }, drainLane))
  return drained

  async function drainLane(): Promise<void> {
    while (!drained.isEmpty && performance.now() < endsAt) {
      const job = await queue.claim()
      if (!job) {
        drained.isEmpty = true
        return
      }
      await runKept(job)
    }
  }

  async function runKept(job: ClaimedJob): Promise<void> {
    const heartbeat = setInterval(() => void queue.keep(job).catch(onError), heartbeatMs)
    try {
      const [result] = await worker.runJobs([job])
      drained[result?.status === 'completed' ? 'handled' : 'failed'] += 1
    } finally {
      clearInterval(heartbeat)
    }
  }
}

import type { ClaimedEntry } from './claim.ts'

export interface LocalQueueOptions {
  unclaim: (jobs: readonly ClaimedEntry[]) => Promise<void>
  /** Nothing is claimed ahead unless at least as many attempts end within a tenth of a second. */
  concurrency: number
  /** Called after jobs were unclaimed because they had waited for too long. */
  onUnclaim: () => void
  onError: (error: unknown) => void
}

/** Attempts that ended within this time are counted. */
const recentMs = 100
const maxAhead = 64
/** After this time a job is unclaimed: its handler would have begun elsewhere. */
const maxWaitMs = 250
const backOffMs = 1_000

/** Jobs that are claimed before a handler is free, so that none waits for a claim. */
export interface LocalQueue {
  isEmpty(): boolean
  /** How many more to claim. */
  wanted(): number
  /** Whether it is time to claim more. */
  isLow(): boolean
  /** Counts an ended attempt: as many as ended recently are claimed ahead. */
  onEnd(): void
  /** Adds jobs that were claimed beyond the free handlers. */
  add(jobs: readonly ClaimedEntry[]): void
  /**
   * Takes the job that has waited longest, unless it has waited for too long, or is none of those
   * that are wanted.
   */
  next(isWanted?: (job: ClaimedEntry) => boolean): ClaimedEntry | undefined
  /** Claims nothing ahead for a second. */
  backOff(): void
  /** Makes all due again, for any worker. Waits for those on their way, too. Never rejects. */
  unclaimAll(): Promise<void>
}

export function createLocalQueue(options: LocalQueueOptions): LocalQueue {
  const { unclaim, concurrency, onUnclaim, onError } = options
  let waiting: ClaimedEntry[] = []
  let timer: NodeJS.Timeout | undefined
  let backsOffUntil = 0
  const endedAt: number[] = []
  const pending = new Set<Promise<void>>()

  return {
    isEmpty: () => waiting.length === 0,
    wanted: () => Math.max(0, target() - waiting.length),
    isLow: () => waiting.length <= target() / 2 && target() > 0,
    onEnd() {
      if (endedAt.push(performance.now()) > Math.max(maxAhead, concurrency)) endedAt.shift()
    },
    add(jobs) {
      waiting.push(...jobs)
      if (waiting.length > 0) timer ??= setTimeout(unclaimOld, maxWaitMs).unref()
    },
    next(isWanted = () => true) {
      const [first] = waiting
      // The process may have been frozen, and the timer has not run yet.
      if (!first || isOld(first) || !isWanted(first)) return undefined
      return waiting.shift()
    },
    backOff() {
      backsOffUntil = performance.now() + backOffMs
    },
    async unclaimAll() {
      unclaimFirst(waiting.length)
      await Promise.all(pending)
    },
  }

  function target(): number {
    const now = performance.now()
    if (now < backsOffUntil) return 0
    const ended = endedAt.filter((at) => now - at < recentMs).length
    return ended < concurrency ? 0 : Math.min(ended, maxAhead)
  }

  function unclaimOld(): void {
    timer = undefined
    unclaimFirst(waiting.filter(isOld).length)
    const [first] = waiting
    if (first) timer = setTimeout(unclaimOld, maxWaitMs - ageOf(first) + 1).unref()
    onUnclaim()
  }

  // Without an answer, the queue finds them once their heartbeats are missed.
  function unclaimFirst(count: number): void {
    const jobs = waiting.slice(0, count)
    waiting = waiting.slice(count)
    if (jobs.length === 0) return
    const unclaimed = unclaim(jobs)
      .catch(onError)
      .finally(() => pending.delete(unclaimed))
    pending.add(unclaimed)
  }
}

function isOld(job: ClaimedEntry): boolean {
  return ageOf(job) > maxWaitMs
}

function ageOf({ claimedAt }: ClaimedEntry): number {
  return performance.now() - claimedAt
}

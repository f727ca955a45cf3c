import type { ClaimedEntry } from './claim.ts'

/** Jobs that are claimed before a handler is free for them, so that no handler waits for a claim. */
export interface ClaimedAhead {
  /** How many wait. */
  readonly size: number
  /** How many more to claim. */
  wanted(): number
  /** Whether it is time to claim more. */
  isLow(): boolean
  /** Counts an ended attempt: as many as ended recently are claimed ahead. */
  onEnd(): void
  /** Takes what was claimed beyond the free handlers. */
  add(jobs: readonly ClaimedEntry[]): void
  /** The job that has waited longest. */
  next(): ClaimedEntry | undefined
  /** Claims nothing ahead for a second. */
  rest(): void
  /** Makes all of them due again, for any worker. */
  handBack(): Promise<void>
}

export interface ClaimedAheadOptions {
  unclaim: (jobs: readonly ClaimedEntry[]) => Promise<void>
  /** Nothing is claimed ahead unless at least as many attempts end within a tenth of a second. */
  concurrency: number
  onError: (error: unknown) => void
}

/** Attempts that ended within this time are counted. */
const recentMs = 100
const maxAhead = 64
/** After this time a job is handed back: its handler would have begun elsewhere. */
const maxWaitMs = 250
const restMs = 1_000

export function createClaimedAhead({
  unclaim,
  concurrency,
  onError,
}: ClaimedAheadOptions): ClaimedAhead {
  let waiting: ClaimedEntry[] = []
  let timer: NodeJS.Timeout | undefined
  let restsUntil = 0
  const endedAt: number[] = []

  return {
    get size() {
      return waiting.length
    },
    wanted: () => Math.max(0, target() - waiting.length),
    isLow: () => waiting.length <= target() / 2 && target() > 0,
    onEnd() {
      if (endedAt.push(performance.now()) > maxAhead) endedAt.shift()
    },
    add(jobs) {
      waiting.push(...jobs)
      if (waiting.length > 0) timer ??= setTimeout(handBackOld, maxWaitMs).unref()
    },
    next() {
      const [first] = waiting
      // The process may have been frozen, and the timer has not run yet.
      if (!first || performance.now() - first.claimedAt > maxWaitMs) return undefined
      return waiting.shift()
    },
    rest() {
      restsUntil = performance.now() + restMs
    },
    handBack: () => handBackFirst(waiting.length),
  }

  function target(): number {
    const now = performance.now()
    if (now < restsUntil) return 0
    const ended = endedAt.filter((at) => now - at < recentMs).length
    return ended < concurrency ? 0 : ended
  }

  function handBackOld(): void {
    timer = undefined
    const now = performance.now()
    const old = waiting.filter(({ claimedAt }) => now - claimedAt > maxWaitMs - 1).length
    void handBackFirst(old)
    const [first] = waiting
    if (first) timer = setTimeout(handBackOld, first.claimedAt + maxWaitMs - now).unref()
  }

  // Without an answer, the queue finds them once their heartbeats are missed.
  async function handBackFirst(count: number): Promise<void> {
    const jobs = waiting.slice(0, count)
    waiting = waiting.slice(count)
    if (jobs.length > 0) await unclaim(jobs).catch(onError)
  }
}

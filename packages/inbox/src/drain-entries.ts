import type { Runner } from './runner.ts'

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
export async function drainEntries(runner: Runner, forMs: number): Promise<Drained> {
  const endsAt = performance.now() + forMs
  let isEmpty = false
  while (!isEmpty && performance.now() < endsAt) {
    const isMoreDue = await runner.fill()
    // What runs may have something behind it that waits for its end.
    isEmpty = !isMoreDue && runner.isIdle()
    await runner.oneEnds()
  }
  await runner.allEnd()
  return { ...runner.ended, isEmpty }
}

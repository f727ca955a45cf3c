import { setTimeout } from 'node:timers/promises'

/** What tells the time and waits: `systemClock`, or the `virtualClock()` of `@feed-receiver/sender`. */
export interface Clock {
  /** Epoch milliseconds. */
  now(): number
  /** Resolves `ms` milliseconds later; rejects with the signal's reason once it aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  /**
   * For clocks that can be moved: keeps the time where it is until the returned function is called,
   * so that work which takes real time, such as a request, takes none of this clock's.
   */
  hold?(): () => void
}

/** Real time. Sleeps may have any length: those longer than a timer can hold are split. */
export const systemClock: Clock = { now: () => Date.now(), sleep }

// A longer timer would fire at once.
const longestTimerMs = 2 ** 31 - 1

async function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted()
  try {
    for (let leftMs = ms; leftMs > 0; leftMs -= longestTimerMs) {
      await setTimeout(Math.min(leftMs, longestTimerMs), undefined, { signal })
    }
  } catch (error) {
    signal?.throwIfAborted()
    throw error
  }
}

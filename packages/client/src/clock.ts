import { setTimeout } from 'node:timers/promises'

/** What tells the time and waits: real time, or the `virtualClock()` of `@feed-receiver/sender`. */
export interface Clock {
  /** Epoch milliseconds. */
  now(): number
  /** Resolves `ms` milliseconds later; rejects with the signal's reason once it aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  /**
   * For clocks that can be moved: keeps the time where it is until the returned function is called,
   * so that a request, which takes real time, takes none of this clock's.
   */
  hold?(): () => void
}

/** Real time. */
export const systemClock: Clock = {
  now: () => Date.now(),
  async sleep(ms, signal) {
    signal?.throwIfAborted()
    try {
      await setTimeout(ms, undefined, { signal })
    } catch (error) {
      signal?.throwIfAborted()
      throw error
    }
  },
}

// A timer cannot hold more than 24 days, and a month's quota may reset later than that. Shorter naps
// also notice sooner that a computer was asleep.
const longestNapMs = 3_600_000

/** Waits for a moment, however far it is. */
export async function waitUntil(atMs: number, clock: Clock, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted()
  for (let leftMs = atMs - clock.now(); leftMs > 0; leftMs = atMs - clock.now()) {
    await clock.sleep(Math.min(leftMs, longestNapMs), signal)
  }
}

import { setTimeout } from 'node:timers/promises'

/** Tells the time and sleeps: `systemClock`, or `virtualClock()` of `@feed-receiver/sender`. */
export interface Clock {
  /** Epoch milliseconds. */
  now(): number
  /** Milliseconds of a monotonic clock, for durations. Without it they follow `now()`. */
  elapsed?(): number
  /** Resolves after `ms` milliseconds; rejects with the signal's reason if it aborts first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  /**
   * For clocks that can be moved: stops the time until you call the returned function. Work that
   * takes real time, such as a request, then takes no time on this clock.
   */
  hold?(): () => void
}

/** Real time. A sleep may have any length: one longer than the timer limit is split. */
export const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  sleep,
}

// Node fires a longer timer at once.
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

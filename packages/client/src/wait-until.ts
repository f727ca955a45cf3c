import type { Clock } from '@feed-receiver/core/node'

// A timer cannot hold more than 24 days, and a month's allowance may be further off. Shorter
// naps also notice sooner that a computer had been asleep.
const longestNapMs = 3_600_000

/** Waits for a moment, however far it is. */
export async function waitUntil(atMs: number, clock: Clock, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted()
  for (let leftMs = atMs - clock.now(); leftMs > 0; leftMs = atMs - clock.now()) {
    await clock.sleep(Math.min(leftMs, longestNapMs), signal)
  }
}

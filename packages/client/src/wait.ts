import type { Clock } from '@feed-receiver/core/node'

const firstDelayMs = 1_000
const longestDelayMs = 60_000

/** How long to wait after the nth failure in a row: doubling, capped, and spread by half. */
export function backoffMs(failures: number, random = Math.random): number {
  const delayMs = Math.min(longestDelayMs, firstDelayMs * 2 ** Math.min(failures - 1, 16))
  return delayMs * (0.5 + random() / 2)
}

// A timer cannot hold more than 24 days, and a month's allowance may be further off. Shorter
// naps also notice sooner that a computer had been asleep.
const longestNapMs = 3_600_000

/** Waits for a moment, however far it is. */
export async function waitUntil(atMs: number, clock: Clock, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted()
  for (let leftMs = atMs - clock.now(); leftMs > 0; leftMs = atMs - clock.now()) {
    await clock.sleep(Math.min(leftMs, longestNapMs), signal)
  }
}

/** Keeps a clock that can be moved where it is while something takes real time. */
export async function hold<T>(clock: Clock, work: () => Promise<T>): Promise<T> {
  const release = clock.hold?.()
  try {
    return await work()
  } finally {
    release?.()
  }
}

/**
 * Does work that is broken off with any of several signals, those included that had aborted before,
 * and by itself; what it leaves under way is broken off at its end. Not `AbortSignal.any`: on Node 20
 * each one that somebody listens to stays in memory (1.2 kB) until the signals it follows abort, and
 * those of a client may never do.
 */
export async function breakingOff<T>(
  signals: (AbortSignal | undefined)[],
  work: (own: AbortController) => Promise<T>,
): Promise<T> {
  const own = new AbortController()
  const given = signals.filter((signal) => signal !== undefined)
  const stop = () => own.abort(given.find(({ aborted }) => aborted)?.reason)
  if (given.some(({ aborted }) => aborted)) stop()
  for (const signal of given) signal.addEventListener('abort', stop)
  try {
    return await work(own)
  } finally {
    for (const signal of given) signal.removeEventListener('abort', stop)
    own.abort()
  }
}

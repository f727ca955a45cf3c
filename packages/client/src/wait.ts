import { once } from 'node:events'
import type { Clock } from '@feed-receiver/core/node'

const firstDelayMs = 1_000
const longestDelayMs = 60_000

/** The backoff after the nth failure in a row: doubling, capped, with jitter of up to a half. */
export function backoffMs(failures: number, random = Math.random): number {
  const delayMs = Math.min(longestDelayMs, firstDelayMs * 2 ** Math.min(failures - 1, 16))
  return delayMs * (0.5 + random() / 2)
}

/** The end of a wait. */
export interface Deadline {
  /** The time that is left, in milliseconds; 0 or less once it is over. */
  leftMs(): number
}

/**
 * A deadline by two clocks. If the time is set back, the monotonic clock ends the wait. If the
 * computer slept, which the monotonic clock may not count, the time of day ends it.
 */
export function deadlineIn(ms: number, clock: Clock): Deadline {
  const elapsed = () => clock.elapsed?.() ?? clock.now()
  const [at, end] = [clock.now() + ms, elapsed() + ms]
  return { leftMs: () => Math.min(at - clock.now(), end - elapsed()) }
}

/** The time of day in some milliseconds. */
export function dateIn(ms: number, clock: Clock): Date {
  return new Date(Math.ceil(clock.now() + ms))
}

// A timer is limited to 24 days, and the end of a month's quota may be later. Shorter sleeps also
// notice sooner that the computer was suspended.
const longestSleepMs = 3_600_000

/** Waits until a deadline, however far away. */
export async function waitUntil(
  deadline: Deadline,
  clock: Clock,
  signal: AbortSignal,
): Promise<void> {
  signal.throwIfAborted()
  for (let leftMs = deadline.leftMs(); leftMs > 0; leftMs = deadline.leftMs()) {
    await clock.sleep(Math.min(leftMs, longestSleepMs), signal)
  }
}

/** Stops a clock that can be moved while something takes real time. */
export async function hold<T>(clock: Clock, work: () => Promise<T>): Promise<T> {
  const release = clock.hold?.()
  try {
    return await work()
  } finally {
    release?.()
  }
}

/**
 * Runs work with an AbortController that aborts with any of the signals, even one that has aborted
 * before, and at the end of the work. Not `AbortSignal.any`: on Node 20 each one with a listener
 * stays in memory (1.2 kB) until its source signals abort, and those of a client may never do.
 */
export async function withAbort<T>(
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

/** Rejects when the signal aborts, although the work goes on: for work that knows no signal. */
export function unlessAborted<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
  return withAbort([signal], async ({ signal: own }) => {
    own.throwIfAborted()
    const aborted = once(own, 'abort').then(() => Promise.reject(own.reason))
    return await Promise.race([work(), aborted])
  })
}

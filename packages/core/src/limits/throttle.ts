/** A body up to this size never waits, and an event is much smaller. */
const smallBytes = 16_384
const bytesPerMs = 65_536
/** As long as 256 bodies at once take for 64 KiB each, so none of them misses its deadline. */
const maxWaitMs = 250

/** How many milliseconds to wait before reading on, after a chunk that made a body this large. */
export type Throttle = (chunkBytes: number, bodyBytes: number) => number

/**
 * Limits how fast a receiver reads large bodies, all of them together. Anyone can send them without
 * a secret, and only the whole body can be verified. Without a limit, Node reads up to 2 MiB of every
 * connection before it reads the next delivery.
 */
export function createThrottle(): Throttle {
  let busyUntil = 0

  return (chunkBytes, bodyBytes) => {
    if (bodyBytes <= smallBytes) return 0
    const now = performance.now()
    const waitMs = Math.max(0, busyUntil - now) + chunkBytes / bytesPerMs
    busyUntil = now + Math.min(waitMs, maxWaitMs)
    return busyUntil - now
  }
}

import { createHash, timingSafeEqual } from 'node:crypto'

/**
 * Compares a token or secret from a request with the right one in constant time, so that the time
 * reveals neither of them, nor their lengths. A missing or empty one is never right.
 */
export function isSameSecret(given: string | null | undefined, expected: string): boolean {
  // Digests, because the comparison needs two values of equal length.
  return Boolean(given) && timingSafeEqual(digest(given ?? ''), digest(expected))
}

function digest(secret: string): Uint8Array {
  return createHash('sha256').update(secret).digest()
}

import { createHash, timingSafeEqual } from 'node:crypto'

/** Compares in a time that says nothing about either, their lengths included. */
export function isSame(one: string, other: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(one), digest(other))
}

import { createHash } from 'node:crypto'

/** A random generator with a text as its seed: the same text gives the same values. */
export interface Random {
  /** From 0 up to but not including 1. */
  next(): number
  /** A whole number; both limits are included. */
  whole(min: number, max: number): number
  chance(share: number): boolean
  /** One of these values. The list must not be empty. */
  pick<T>(from: readonly T[]): T
  /** The prefix and 24 hexadecimal digits. */
  id(prefix: string): string
}

export function seededRandom(seed: string): Random {
  const start = createHash('sha256').update(seed).digest()
  let state = start.readUInt32LE(0)
  const next = () => {
    // Mulberry32: short, and random enough for made-up events.
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  const whole = (min: number, max: number) => min + Math.floor(next() * (max - min + 1))
  const digits = () => whole(0, 0xffff).toString(16).padStart(4, '0')
  return {
    next,
    whole,
    chance: (share) => next() < share,
    pick(from) {
      const [picked] = from.slice(whole(0, from.length - 1))
      if (picked === undefined) throw new Error('There is nothing to pick from.')
      return picked
    },
    id: (prefix) => prefix + Array.from({ length: 6 }, digits).join(''),
  }
}

/** Pseudorandom numbers: the same seed gives the same ones. */
export interface Random {
  /** From 0 to below 1. */
  next(): number
  /** A whole number from 0 to below the limit. */
  below(limit: number): number
  pick<T>(choices: readonly T[]): T
  shuffle<T>(items: readonly T[]): T[]
}

export function seededRandom(seed: number): Random {
  let state = seed >>> 0
  const random: Random = {
    // Mulberry32: short, and random enough for a plan of faults.
    next() {
      state = (state + 0x6d2b79f5) >>> 0
      let mixed = Math.imul(state ^ (state >>> 15), state | 1)
      mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
      return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
    },
    below: (limit) => Math.floor(random.next() * limit),
    pick(choices) {
      const [chosen] = choices.slice(random.below(choices.length))
      if (chosen === undefined) throw new Error('there is nothing to pick from')
      return chosen
    },
    shuffle: (items) =>
      items
        .map((item) => ({ item, at: random.next() }))
        .toSorted((a, b) => a.at - b.at)
        .map(({ item }) => item),
  }
  return random
}

import { createChain, type Link } from './chain.ts'

export interface SlotOptions {
  max: number
  /** A slot that was taken longer ago counts as lost and may be reused. */
  lostAfterMs: number
}

/**
 * Limits how many deliveries are stored at once. Some runtimes drop a request and its pending
 * promises, as Workers do when the sender disconnects, so nothing frees the slot. The next delivery
 * that finds no free slot takes a lost one, whose delivery is answered or gone by then.
 */
export function createSlots<Item extends Link<Item>>({ max, lostAfterMs }: SlotOptions) {
  const taken = createChain<Item>()

  return {
    /** Takes a slot; false if there is none. */
    take(item: Item): boolean {
      if (taken.size >= max) dropLost()
      if (taken.size >= max) return false
      taken.add(item)
      return true
    },
    /** Frees the slot. */
    give: taken.remove,
  }

  function dropLost(): void {
    const lostBefore = performance.now() - lostAfterMs
    while (taken.first && taken.first.startedAt < lostBefore) taken.remove(taken.first)
  }
}

import { createChain, type Link } from './chain.ts'

export interface SlotOptions {
  max: number
  /** A slot that was taken longer ago is taken for one that nobody will give back. */
  lostAfterMs: number
}

/**
 * Limits how many deliveries are stored at once. Where a runtime drops a request with all that it
 * waits for, as Workers do when the sender goes away, nothing gives its slot back: by then the delivery
 * is answered or gone, and the next one that finds no slot takes this one.
 */
export function createSlots<Item extends Link<Item>>({ max, lostAfterMs }: SlotOptions) {
  const taken = createChain<Item>()

  return {
    /** Takes a slot; false where there is none. */
    take(item: Item): boolean {
      if (taken.size >= max) dropLost()
      if (taken.size >= max) return false
      taken.add(item)
      return true
    },
    /** Gives it back. */
    give: taken.remove,
  }

  function dropLost(): void {
    const lostBefore = performance.now() - lostAfterMs
    while (taken.first && taken.first.startedAt < lostBefore) taken.remove(taken.first)
  }
}

/** An item in progress, linked to its neighbours in the chain. */
export interface Link<Item> {
  before: Item | undefined
  after: Item | undefined
  /** By `performance.now()`. */
  startedAt: number
}

/**
 * The items in progress, linked in the order of their start. Not a Set: its table drags its items
 * into the old generation of the heap. That cost a delivery 5 µs (Node 20.20.2, 32 at a time).
 */
export function createChain<Item extends Link<Item>>() {
  let first: Item | undefined
  let last: Item | undefined
  let size = 0

  return {
    get size() {
      return size
    },
    get first() {
      return first
    },
    add(item: Item): void {
      item.before = last
      if (last) last.after = item
      else first = item
      last = item
      size += 1
    },
    /** Does nothing if the item is no longer in the chain. */
    remove(item: Item): void {
      const { before, after } = item
      if (!before && first !== item) return
      if (before) before.after = after
      else first = after
      if (after) after.before = before
      else last = before
      item.before = item.after = undefined
      size -= 1
    },
  }
}

/** Lets an object be in one chain. */
export interface Link<T> {
  before: T | undefined
  after: T | undefined
}

/** Objects in the order in which they were added; each is removed in constant time. */
export interface Chain<T> {
  first(): T | undefined
  size(): number
  append(link: T): void
  remove(link: T): void
}

/**
 * Links the objects themselves. The table of a Set drags what it held into the old generation of the
 * heap, and that cost a delivery more than its parsing.
 */
export function createChain<T extends Link<T>>(): Chain<T> {
  let first: T | undefined
  let last: T | undefined
  let size = 0

  return {
    first: () => first,
    size: () => size,
    append(link) {
      link.before = last
      if (last) last.after = link
      else first = link
      last = link
      size += 1
    },
    remove(link) {
      const { before, after } = link
      if (!before && first !== link) return
      if (before) before.after = after
      else first = after
      if (after) after.before = before
      else last = before
      link.before = link.after = undefined
      size -= 1
    },
  }
}

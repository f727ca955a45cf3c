/** After so many pages in a row without a new event, a read leads nowhere. */
export const maxIdlePages = 100

/** A read that leads nowhere gets so many more pages at each retry, because each costs a request. */
const pagesOfRetry = 10

/** How many events a read remembers, to know whether a page has new ones. */
const mostRemembered = 10_000
/** A service that makes up longer ids fills no memory with them. */
const longestRemembered = 255

/** Finds out over all pages of a read, and not by one of them, whether it advances. */
export interface Progress {
  /** Notes the events of a page, and returns whether too many pages had no new one. */
  isStuck(ids: readonly string[]): boolean
  /** Notes that a read has reached its end. */
  end(): void
}

export function createProgress(): Progress {
  const remembered = new Set<string>()
  let idlePages = 0

  return {
    isStuck(ids) {
      const found = ids.filter((id) => id.length <= longestRemembered && !remembered.has(id))
      for (const id of found) remembered.add(id)
      for (const id of remembered) {
        if (remembered.size <= mostRemembered) break
        remembered.delete(id)
      }
      idlePages = found.length > 0 ? 0 : idlePages + 1
      if (idlePages < maxIdlePages) return false
      idlePages -= pagesOfRetry
      return true
    },
    end() {
      remembered.clear()
      idlePages = 0
    },
  }
}

/**
 * Finds a cursor that returns, whatever the length of the cycle, and remembers only one of them: the
 * last one whose position is a power of two (Brent's algorithm).
 */
export function findCycle(first: string | null): (cursor: string | null) => boolean {
  let marked = first
  let untilMark = 1
  let sinceMark = 0
  return (cursor) => {
    if (cursor === marked) return true
    sinceMark += 1
    if (sinceMark === untilMark) {
      marked = cursor
      untilMark *= 2
      sinceMark = 0
    }
    return false
  }
}

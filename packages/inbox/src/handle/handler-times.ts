/** How long each handler has run. */
export interface HandlerTimes {
  /** Whether the handler of a type is so short that several runs may share a transaction. */
  isShort(type: string): boolean
  /** Adds a run that has returned, in milliseconds. */
  add(type: string, ms: number): void
  /**
   * Lets a handler run alone some times, because a run did not fit into a shared transaction: twice
   * as many each time, so that one that never fits is hardly ever tried.
   */
  runAlone(type: string): void
}

interface Times {
  /** Of the last ones that returned. */
  recentMs: number[]
  /** How many must still run alone. */
  aloneFor: number
  /** As many ran alone the last time. */
  lastAloneFor: number
  /** How many have fitted since. */
  fitted: number
}

/** So many runs are counted, of which so many may be longer: on a busy machine, some always are. */
const recentCount = 20
const maxLonger = 5
const longestAlone = 10_000

/** `handlerOf` returns the same for types that share a handler. Short are less than `shortMs`. */
export function createHandlerTimes(
  handlerOf: (type: string) => unknown,
  shortMs: number,
): HandlerTimes {
  const byHandler = new Map<unknown, Times>()

  return {
    isShort(type) {
      const times = byHandler.get(handlerOf(type))
      if (!times || times.aloneFor > 0 || times.recentMs.length < recentCount) return false
      return times.recentMs.filter((ms) => ms >= shortMs).length <= maxLonger
    },
    add(type, ms) {
      const times = timesOf(type)
      if (times.recentMs.push(ms) > recentCount) times.recentMs.shift()
      if (times.aloneFor > 0) times.aloneFor -= 1
      else if (times.fitted < times.lastAloneFor) times.fitted += 1
      else times.lastAloneFor = 0
    },
    runAlone(type) {
      const times = timesOf(type)
      if (times.aloneFor > 0) return
      const count = Math.min(longestAlone, Math.max(recentCount, times.lastAloneFor * 2))
      Object.assign(times, { aloneFor: count, lastAloneFor: count, fitted: 0 })
    },
  }

  function timesOf(type: string): Times {
    const handler = handlerOf(type)
    const known = byHandler.get(handler)
    if (known) return known
    const times = { recentMs: [], aloneFor: 0, lastAloneFor: 0, fitted: 0 }
    byHandler.set(handler, times)
    return times
  }
}

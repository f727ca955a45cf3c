/** How long the handlers of each event type have run. */
export interface HandlerTimes {
  /** Whether handlers of a type are so short that several may share a transaction. */
  areShort(type: string): boolean
  /** Adds a handler that has returned, in milliseconds. */
  add(type: string, ms: number): void
  /** Runs handlers of a type alone for some time, because one did not fit into a shared transaction. */
  runAlone(type: string): void
}

interface Times {
  /** Of the last handlers, which did not fail. */
  recentMs: number[]
  /** How many handlers must still run alone. */
  aloneFor: number
  /** How many ran alone after the last one that did not fit. */
  wereAlone: number
}

/** One of them may be longer, so that the 95th percentile counts. */
const recentCount = 20
const shortMs = 10
const longestAlone = 10_000

export function createHandlerTimes(): HandlerTimes {
  const byType = new Map<string, Times>()

  return {
    areShort(type) {
      const times = byType.get(type)
      if (!times || times.aloneFor > 0 || times.recentMs.length < recentCount) return false
      return times.recentMs.filter((ms) => ms >= shortMs).length <= recentCount / 20
    },
    add(type, ms) {
      const times = timesOf(type)
      if (times.recentMs.push(ms) > recentCount) times.recentMs.shift()
      times.aloneFor = Math.max(0, times.aloneFor - 1)
    },
    // Twice as many each time, so that one that never fits is hardly ever tried.
    runAlone(type) {
      const times = timesOf(type)
      times.wereAlone = Math.min(longestAlone, Math.max(recentCount, times.wereAlone * 2))
      times.aloneFor = times.wereAlone
    },
  }

  function timesOf(type: string): Times {
    const known = byType.get(type)
    if (known) return known
    const times = { recentMs: [], aloneFor: 0, wereAlone: 0 }
    byType.set(type, times)
    return times
  }
}

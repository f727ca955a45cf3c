/** Where several requests wait for each other, so that they arrive as one. */
export interface StartingLine {
  /** Resolves once all have arrived, or some have not for two seconds. */
  arrive(): Promise<void>
}

const limitMs = 2_000

// Long enough for the receiver to have read all heads, so that it has all requests open at once.
const settlingMs = 50

export function createStartingLine(count: number): StartingLine {
  let missing = count
  let timer: NodeJS.Timeout | undefined
  let start: (() => void) | undefined
  const started = new Promise<void>((resolve) => {
    start = resolve
  })
  return {
    arrive() {
      missing -= 1
      // A request that gets no connection never arrives.
      timer ??= setTimeout(() => start?.(), limitMs)
      if (missing === 0) {
        clearTimeout(timer)
        setTimeout(() => start?.(), settlingMs)
      }
      return started
    },
  }
}

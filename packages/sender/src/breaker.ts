/**
 * Breaks work off. What an AbortController does, without its cost: two for each delivery would take
 * longer than signing and sending it.
 */
export interface Breaker {
  readonly isBroken: boolean
  break(): void
  /**
   * Runs `stop` as soon as the work is broken off, once.
   *
   * @returns a function that ends this.
   */
  watch(stop: () => void): () => void
}

export function createBreaker(): Breaker {
  const watching = new Set<() => void>()
  let isBroken = false
  return {
    get isBroken() {
      return isBroken
    },
    break() {
      isBroken = true
      for (const stop of watching) {
        watching.delete(stop)
        stop()
      }
    },
    watch(stop) {
      if (isBroken) stop()
      else watching.add(stop)
      return () => void watching.delete(stop)
    },
  }
}

/**
 * Runs `work` with a breaker that breaks as soon as `outer` or `signal` does, and then lets go of
 * both, so that a long-lived signal does not gather listeners.
 */
export function breakableBy<T>(
  outer: Breaker,
  signal: AbortSignal | undefined,
  work: (breaker: Breaker) => Promise<T>,
): Promise<T> {
  return signal ? followingBoth(outer, signal, work) : work(outer)
}

async function followingBoth<T>(
  outer: Breaker,
  signal: AbortSignal,
  work: (breaker: Breaker) => Promise<T>,
): Promise<T> {
  const inner = createBreaker()
  const unwatch = outer.watch(inner.break)
  if (signal.aborted) inner.break()
  signal.addEventListener('abort', inner.break, { once: true })
  try {
    return await work(inner)
  } finally {
    unwatch()
    signal.removeEventListener('abort', inner.break)
  }
}

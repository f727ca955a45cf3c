/** Does something now and then until it is stopped; one time has to end before the next begins. */
export interface Repeating {
  /** Resolves once the time that is under way has ended. */
  stop(): Promise<void>
}

/** Starts at once. What one time throws is reported, and the next one comes all the same. */
export function every(
  ms: number,
  run: () => Promise<unknown>,
  onError: (error: unknown) => void,
): Repeating {
  let timer: NodeJS.Timeout | undefined
  let isStopped = false
  let underWay = once()

  async function once(): Promise<void> {
    try {
      await run()
    } catch (error) {
      onError(error)
    }
    if (!isStopped) timer = setTimeout(again, ms)
  }

  function again(): void {
    underWay = once()
  }

  return {
    async stop() {
      isStopped = true
      clearTimeout(timer)
      await underWay
    },
  }
}

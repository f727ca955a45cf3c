import { setTimeout as delay } from 'node:timers/promises'

/**
 * Does something at once and then now and then until it is stopped; one time has to end before the
 * next begins. What one time throws is reported, and the next one comes all the same.
 */
export function every(
  ms: number,
  run: () => Promise<unknown>,
  onError: (error: unknown) => void,
): { stop(): Promise<void> } {
  const stopping = new AbortController()
  const { signal } = stopping
  const repeating = repeat()
  return {
    /** Resolves once the time that is under way has ended. */
    async stop() {
      stopping.abort()
      await repeating
    },
  }

  async function repeat(): Promise<void> {
    while (!signal.aborted) {
      await run().catch(onError)
      await delay(ms, undefined, { signal }).catch(() => undefined)
    }
  }
}

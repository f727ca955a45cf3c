import { setTimeout as delay } from 'node:timers/promises'
import { DatabaseError } from './errors.ts'

const againMs = 500

/**
 * Repeats a call while the pool is exhausted or the server is down, until the signal aborts. Only
 * for what may run twice, because the outcome of a statement without an answer is unknown.
 */
export async function untilAvailable<T>(run: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (;;) {
    try {
      return await run()
    } catch (error) {
      const isUnavailable = error instanceof DatabaseError && error.code === 'unavailable'
      if (!isUnavailable || signal.aborted) throw error
      await delay(againMs, undefined, { signal }).catch(() => undefined)
    }
  }
}

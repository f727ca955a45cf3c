import { setTimeout as delay } from 'node:timers/promises'
import { inOwnContext } from './own-context.ts'

export interface RepeatOptions {
  /** Aborts when the repetition is to end. */
  signal: AbortSignal
  /** Called with errors, which do not end it. */
  onError: (error: unknown) => void
}

/**
 * Calls a function immediately and then at intervals until the signal aborts, without overlap.
 * Resolves once the call in progress has ended.
 */
export function repeat(
  ms: number,
  run: (signal: AbortSignal) => Promise<unknown>,
  { signal, onError }: RepeatOptions,
): Promise<void> {
  return inOwnContext(async () => {
    while (!signal.aborted) {
      await run(signal).catch(onError)
      await delay(ms, undefined, { signal }).catch(() => undefined)
    }
  })
}

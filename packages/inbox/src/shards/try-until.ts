import { setTimeout as delay } from 'node:timers/promises'

/** The delay between two attempts. */
const retryMs = 2_000

/** Retries something until it succeeds or the signal aborts. Never rejects. */
export async function tryUntil(
  signal: AbortSignal,
  run: () => Promise<void>,
  onError: (error: unknown) => void,
): Promise<void> {
  while (!signal.aborted) {
    await delay(retryMs, undefined, { signal, ref: false }).catch(() => undefined)
    if (signal.aborted) return
    try {
      await run()
      return
    } catch (error) {
      if (!signal.aborted) onError(error)
    }
  }
}

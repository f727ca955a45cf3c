import { setTimeout as delay } from 'node:timers/promises'

/** How long to wait before the next try. */
const retryMs = 2_000

/** Runs something until it succeeds or the signal aborts. Never rejects. */
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

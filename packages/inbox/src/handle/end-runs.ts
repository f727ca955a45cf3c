import { setTimeout as delay } from 'node:timers/promises'
import type { Runner } from './runner.ts'

/** What goes on until it is stopped. */
export interface Stoppable {
  /** Claims nothing more, and waits for what runs: for some time, then with aborted signals. */
  stop(timeoutMs: number): Promise<void>
}

/** Waits for what runs: for four fifths of the time as it is, then with aborted signals. */
export async function endRuns(runner: Runner, timeoutMs: number): Promise<void> {
  const patience = new AbortController()
  const { signal } = patience
  const abort = delay(timeoutMs * 0.8, undefined, { signal }).then(
    () => runner.abort(new DOMException('The inbox is stopping.', 'AbortError')),
    () => undefined,
  )
  const timeout = delay(timeoutMs, undefined, { signal }).then(
    () => runner.giveUp(),
    () => undefined,
  )
  await Promise.race([runner.allEnd(), timeout])
  patience.abort()
  await abort
}

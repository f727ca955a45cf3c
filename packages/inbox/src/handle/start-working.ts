import type { Stoppable } from './end-runs.ts'
import { every } from './every.ts'
import type { Queue } from '../queue/queue.ts'
import type { Runner } from './runner.ts'
import { startWorkLoop } from './work-loop.ts'

export interface WorkingOptions {
  queue: Queue
  runner: Runner
  /** Finds what was left behind. */
  sweep: () => Promise<unknown>
  onError: (error: unknown) => void
}

export interface Working extends Stoppable {
  /** Resolves once it hears of what comes; where it rejects, nothing goes on. */
  readonly begun: Promise<unknown>
}

export const sweepIntervalMs = 5 * 60_000

/** Handles what comes, and sweeps now and then, until it is stopped. */
export function startWorking({ queue, runner, sweep, onError }: WorkingOptions): Working {
  const sweeping = every(sweepIntervalMs, sweep, onError)
  const loop = startWorkLoop(queue, runner, onError)
  loop.catch(() => sweeping.stop())
  return {
    begun: loop,
    async stop(timeoutMs) {
      await sweeping.stop()
      const begun = await loop.catch(() => undefined)
      await begun?.stop(timeoutMs)
    },
  }
}

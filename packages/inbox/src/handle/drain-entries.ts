import type { Stoppable } from './claim-loop.ts'
import type { Slots } from './slots.ts'

export interface DrainOptions {
  /**
   * For how long to begin runs, in milliseconds; those under way are waited for.
   * @default 20_000
   */
  forMs?: number
  /**
   * How many handlers may run at once.
   * @default 4
   */
  concurrency?: number
}

/** What a drain did. */
export interface Drained {
  /** Runs that ended an entry. */
  handled: number
  /** Runs that failed; their entries are tried again later, or dead. */
  failed: number
  /** Whether nothing was due any more. */
  isEmpty: boolean
}

export interface Drain extends Stoppable {
  /** Resolves once nothing runs any more. */
  readonly drained: Promise<Drained>
}

/** Works off what is due until nothing is or the time is up. */
export function startDrain(slots: Slots, forMs: number): Drain {
  const endsAt = performance.now() + forMs
  const stopping = new AbortController()
  let onStopped = () => {}
  const stopped = new Promise<void>((resolve) => (onStopped = resolve))

  return {
    drained: drain(),
    async stop(timeoutMs) {
      stopping.abort()
      await slots.stop(timeoutMs)
      onStopped()
    },
  }

  async function drain(): Promise<Drained> {
    let isEmpty = false
    while (!isEmpty && !stopping.signal.aborted && performance.now() < endsAt) {
      const isMoreDue = await slots.fill()
      // What runs may have something behind it that waits for its end.
      isEmpty = !isMoreDue && slots.isIdle()
      await unlessStopped(isMoreDue ? slots.oneIsFree() : slots.oneEnds())
    }
    await unlessStopped(slots.allEnd())
    return { ...slots.ended, isEmpty }
  }

  // A handler that never ends is given up by then, and nobody would hear of its end.
  async function unlessStopped(waiting: Promise<void>): Promise<void> {
    await Promise.race([waiting, stopped])
  }
}

import { setTimeout as delay } from 'node:timers/promises'
import { inOwnContext } from '../own-context.ts'
import type { ClaimedJob, Queue } from '../queue/queue.ts'
import type { Slots } from './slots.ts'

// For due jobs without a notification: a retry that is due, or a notification that was lost.
const pollMs = 500

export interface ClaimLoopOptions {
  queue: Queue
  slots: Slots
  /** Called before the loop claims again if pauses may have changed. */
  onPauses: () => void
  /** Whether the end of a job allows another one to run that waits for it. */
  makesRoom: (job: ClaimedJob) => boolean
  onError: (error: unknown) => void
}

/**
 * Claims jobs while slots are free, until the slots stop. Errors are reported, and the loop
 * continues. Resolves, once it listens for new jobs, with a function that waits for its end.
 */
export async function startClaimLoop({
  queue,
  slots,
  onPauses,
  makesRoom,
  onError,
}: ClaimLoopOptions): Promise<() => Promise<void>> {
  let ring = () => {}
  let rung = nextRing()
  slots.onEachEnd((job) => {
    if (makesRoom(job)) ring()
  })
  const unlisten = await queue.listen(() => ring(), onPauses)
  const looping = loop()

  return async () => {
    ring()
    await Promise.all([unlisten().catch(onError), looping])
  }

  async function loop(): Promise<void> {
    while (!slots.isStopping()) {
      const isMoreDue = await slots.fill().catch(onError)
      // While every slot is taken, only a free slot matters.
      if (isMoreDue) await slots.oneIsFree()
      else await hear()
    }
  }

  /** Waits for a notification, which may already have arrived, or for the next poll. */
  async function hear(): Promise<void> {
    const polling = setTimeout(ring, pollMs)
    await rung
    clearTimeout(polling)
    rung = nextRing()
  }

  function nextRing(): Promise<void> {
    return new Promise((resolve) => (ring = resolve))
  }
}

/**
 * Calls a function immediately and then at intervals until it is stopped, without overlap. Errors
 * are reported, and do not stop it. The signal aborts when it is to stop.
 */
export function every(
  ms: number,
  run: (signal: AbortSignal) => Promise<unknown>,
  onError: (error: unknown) => void,
): { stop(): Promise<void> } {
  const stopping = new AbortController()
  const { signal } = stopping
  const repeating = inOwnContext(repeat)
  return {
    /** Resolves once the call in progress has ended. */
    async stop() {
      stopping.abort()
      await repeating
    },
  }

  async function repeat(): Promise<void> {
    while (!signal.aborted) {
      await run(signal).catch(onError)
      await delay(ms, undefined, { signal }).catch(() => undefined)
    }
  }
}

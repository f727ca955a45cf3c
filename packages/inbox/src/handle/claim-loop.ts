import { setTimeout as delay } from 'node:timers/promises'
import type { ClaimedJob, Queue } from '../queue/queue.ts'
import type { Slots } from './slots.ts'

/** Claims nothing more, and waits for what runs: for some time, then with aborted signals. */
export type Stop = (timeoutMs: number) => Promise<void>

// For what nobody announces: a retry that is due, or a notification that was lost.
const pollMs = 500

export interface ClaimLoopOptions {
  queue: Queue
  slots: Slots
  /** Called before the loop claims again where pauses may have changed. */
  onPauses: () => void
  /** Whether the end of a job lets another one run that waits for it. */
  makesRoom: (job: ClaimedJob) => boolean
  onError: (error: unknown) => void
}

/** Claims jobs as they come, for as long as slots are free. Errors are reported, and the loop goes on. */
export async function startClaimLoop({
  queue,
  slots,
  onPauses,
  makesRoom,
  onError,
}: ClaimLoopOptions): Promise<Stop> {
  const stopping = new AbortController()
  let ring = () => {}
  let rung = nextRing()
  slots.onEachEnd((job) => {
    if (makesRoom(job)) ring()
  })
  const unlisten = await queue.listen(() => ring(), onPauses)
  const looping = loop()

  return async (timeoutMs) => {
    stopping.abort()
    ring()
    await unlisten().catch(onError)
    await looping
    await slots.stop(timeoutMs)
  }

  async function loop(): Promise<void> {
    while (!stopping.signal.aborted) {
      const isMoreDue = await slots.fill().catch(onError)
      // With every slot taken there is nothing to listen for, but that a slot comes free.
      if (isMoreDue) await slots.oneIsFree()
      else await hear()
    }
  }

  /** Waits for a ring, which may have come before, or until it is time to look again. */
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

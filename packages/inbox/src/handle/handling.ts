import { checkOption, checkTime, InboxError } from '../errors.ts'
import { startClaimLoop, type Stoppable } from './claim-loop.ts'
import { startDrain, type Drained, type DrainOptions } from './drain-entries.ts'
import { every } from './every.ts'
import type { Handlers } from './handlers.ts'
import { runsOn, type HandlingPlace } from './run.ts'
import { createSlots, type Slots } from './slots.ts'
import { createSweep } from './sweep-entries.ts'

export interface WorkOptions {
  /**
   * How many handlers may run at once in this process.
   * @default 4
   */
  concurrency?: number
}

/** What handles the entries of one inbox: its worker, and drains. */
export interface Handling<AppTx> extends Stoppable {
  /** Resolves once the worker hears of new jobs. */
  work(handlers: Handlers<AppTx>, options?: WorkOptions): Promise<void>
  drain(handlers: Handlers<AppTx>, options?: DrainOptions): Promise<Drained>
}

const sweepIntervalMs = 5 * 60_000

/** Makes what handles entries. Nothing runs before `work` or `drain`. */
export function createHandling<AppTx>(place: HandlingPlace<AppTx>): Handling<AppTx> {
  const { queue, onError } = place
  // Each sweep goes on from where the last one ended.
  const sweep = createSweep(place)
  const active = new Set<Stoppable>()
  let isWorking = false
  let sweptAt: number | undefined

  return {
    async work(handlers, { concurrency = 4 } = {}) {
      if (isWorking) {
        throw new InboxError('already_working', 'This inbox is working already; call work once.')
      }
      const slots = slotsFor(handlers, concurrency)
      isWorking = true
      const sweeping = every(sweepIntervalMs, sweep, onError)
      const loop = startClaimLoop(queue, slots, onError)
      const worker: Stoppable = {
        async stop(timeoutMs) {
          await sweeping.stop()
          const begun = await loop.catch(() => undefined)
          await begun?.stop(timeoutMs)
        },
      }
      active.add(worker)
      try {
        await loop
      } catch (error) {
        isWorking = false
        active.delete(worker)
        void sweeping.stop()
        throw error
      }
    },
    async drain(handlers, { forMs = 20_000, concurrency = 4 } = {}) {
      checkTime('forMs', forMs)
      const slots = slotsFor(handlers, concurrency)
      await sweepIfDue()
      const drain = startDrain(slots, forMs)
      active.add(drain)
      return await drain.drained.finally(() => active.delete(drain))
    },
    async stop(timeoutMs) {
      await Promise.all([...active].map((one) => one.stop(timeoutMs)))
    },
  }

  function slotsFor(handlers: Handlers<AppTx>, concurrency: number): Slots {
    const isFine = Number.isInteger(concurrency) && concurrency >= 1 && concurrency <= 1_000
    checkOption(isFine, 'concurrency: use a whole number from 1 to 1,000.')
    return createSlots({ queue, startRuns: runsOn(place, handlers), concurrency, onError })
  }

  /** Where no process works for long, nobody else sweeps. */
  async function sweepIfDue(): Promise<void> {
    if (sweptAt !== undefined && performance.now() - sweptAt < sweepIntervalMs) return
    sweptAt = performance.now()
    await sweep().catch(onError)
  }
}

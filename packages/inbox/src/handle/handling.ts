import { checkOption, checkTime, InboxError } from '../errors.ts'
import type { OpenExtensions } from '../extension.ts'
import { claimsOn } from './claim-jobs.ts'
import { startClaimLoop, every } from './claim-loop.ts'
import { createReports, type FailureOptions, type Reports } from './failures.ts'
import type { Handlers } from './handlers.ts'
import type { WorkerContext } from './handle-entry.ts'
import { handBack } from '../queue/hand-back.ts'
import { inOwnContext } from '../own-context.ts'
import type { ClaimedJob, Limits } from '../queue/queue.ts'
import { keepMoving, moveJobs } from './move-jobs.ts'
import { readLimits, type HandlerLimits } from './limits.ts'
import { runsOn } from './run.ts'
import { createSlots, type Slots } from './slots.ts'
import { createSweep } from './sweep-entries.ts'
import { warnOfConnections } from './warn-of-connections.ts'
import { watchSlowRuns } from './watch-slow-runs.ts'
import { warnOfTypes } from './warn-of-types.ts'
import { watchPauses } from './watch-pauses.ts'

export interface WorkOptions extends FailureOptions {
  /**
   * The maximum number of concurrent handlers in this process.
   * @default 4
   */
  concurrency?: number
  /**
   * The maximum number of concurrent handlers per event type, across all processes of the inbox: `{
   * outage_started: { concurrency: 1 } }`. A process applies its own limits, so pass the same ones
   * in each.
   * @default {}
   */
  limits?: HandlerLimits
}

export interface DrainOptions extends WorkOptions {
  /**
   * How long a drain claims new jobs, in milliseconds. It then waits for running handlers.
   * @default 20_000
   */
  forMs?: number
}

/** The result of a drain. */
export interface Drained {
  /** Runs that ended an entry. */
  handled: number
  /** Runs that failed. Their entries are retried later, or dead. */
  failed: number
  /**
   * Whether the drain ended because no due job could run. Paused entries and those beyond a limit
   * stay.
   */
  isEmpty: boolean
}

/** Stops claiming, and waits for running handlers: for some time, then with aborted signals. */
type Stop = (timeoutMs: number) => Promise<void>

/** Handles the entries of one inbox: its worker, and drains. */
export type Handling<AppTx> = ReturnType<typeof createHandling<AppTx>>

const sweepIntervalMs = 5 * 60_000
/** Limits the maintenance of extensions in a drain. The next one continues. */
const maintenanceMs = 2_000

/** Creates the worker and drains of an inbox. Nothing runs before `work` or `drain`. */
export function createHandling<AppTx>(
  context: WorkerContext<AppTx> & { extensions: OpenExtensions },
) {
  const { queue, extensions, work: watched, onError } = context
  // Each sweep continues where the last one ended.
  const sweep = createSweep(context)
  const pauses = watchPauses(context)
  const active = new Set<Stop>()
  let isWorking = false
  let sweptAt: number | undefined

  return {
    /** Resolves once the worker hears of new jobs. */
    async work(handlers: Handlers<AppTx>, options: WorkOptions = {}): Promise<void> {
      if (isWorking) {
        throw new InboxError(
          'already_working',
          'This inbox is already working. Call work only once.',
        )
      }
      const limits = readLimits(options.limits, handlers)
      const reports = createReports(options, context)
      const slots = slotsFor(handlers, options.concurrency, limits, reports)
      isWorking = true
      context.database.reserve()
      void warnOfConnections(context, options.concurrency ?? 4).catch(() => undefined)
      const moving = keepMoving(context, onError)
      const sweeping = every(sweepIntervalMs, (signal) => sweep(reports.dead, signal), onError)
      const maintaining = every(sweepIntervalMs, extensions.maintain, onError)
      const claiming = {
        queue,
        slots,
        onPauses: pauses.expire,
        makesRoom: ({ groupId }: ClaimedJob) => limits.has(groupId ?? ''),
        onError,
      }
      // Only then, so that no new event overtakes one that was stored before it.
      const loop = moving.first.then(() => inOwnContext(() => startClaimLoop(claiming)))
      const stopWorker: Stop = async (timeoutMs) => {
        // At the same time, so that only handlers decide how long a stop takes.
        await Promise.all([
          slots.stop(timeoutMs),
          loop.then((ended) => ended()).catch(() => undefined),
          moving.stop(),
          sweeping.stop(),
          maintaining.stop(),
        ])
        await reports.told()
      }
      active.add(stopWorker)
      try {
        await loop
      } catch (error) {
        isWorking = false
        active.delete(stopWorker)
        void moving.stop()
        void sweeping.stop()
        void maintaining.stop()
        throw error
      }
    },
    async drain(handlers: Handlers<AppTx>, options: DrainOptions = {}): Promise<Drained> {
      const { forMs = 20_000 } = options
      checkTime('forMs', forMs)
      const limits = readLimits(options.limits, handlers)
      const reports = createReports(options, context)
      const slots = slotsFor(handlers, options.concurrency, limits, reports)
      const sweeping = new AbortController()
      const drained = sweepIfDue(reports, sweeping.signal).then(() => drainDue(slots, forMs))
      const stopDrain: Stop = async (timeoutMs) => {
        sweeping.abort()
        await Promise.all([slots.stop(timeoutMs), drained.catch(() => undefined)])
        await reports.told()
      }
      active.add(stopDrain)
      try {
        return await drained
      } finally {
        active.delete(stopDrain)
        await reports.told()
      }
    },
    /** Stops claiming, and waits for running handlers: for some time, then with aborted signals. */
    async stop(timeoutMs: number): Promise<void> {
      await Promise.all([...active].map((stop) => stop(timeoutMs)))
    },
  }

  function slotsFor(
    handlers: Handlers<AppTx>,
    concurrency = 4,
    limits: Limits,
    reports: Reports,
  ): Slots {
    const isFine = Number.isInteger(concurrency) && concurrency >= 1 && concurrency <= 1_000
    checkOption(isFine, 'concurrency: use a whole number from 1 to 1,000.')
    const startRuns = watchSlowRuns(runsOn(context, handlers, reports), onError)
    warnOfTypes(handlers)
    const claimAllowed = claimsOn(context, pauses, limits)
    return createSlots({
      queue: { ...queue, claim: (wanted) => watched.watch('claim', claimAllowed(wanted)) },
      startRuns,
      handBack: (jobs) => handBack(context, jobs),
      concurrency,
      onError,
    })
  }

  /** On platforms without a long-running process, nothing else sweeps. */
  async function sweepIfDue(reports: Reports, signal: AbortSignal): Promise<void> {
    await moveJobs(context).catch(onError)
    if (sweptAt !== undefined && performance.now() - sweptAt < sweepIntervalMs) return
    sweptAt = performance.now()
    await sweep(reports.dead, signal).catch(onError)
    const ending = AbortSignal.any([signal, AbortSignal.timeout(maintenanceMs)])
    await extensions.maintain(ending)
  }
}

/** Handles due jobs until none is left, the time is up, or the slots stop. */
async function drainDue(slots: Slots, forMs: number): Promise<Drained> {
  const endsAt = performance.now() + forMs
  let isEmpty = false
  while (!isEmpty && !slots.isStopping() && performance.now() < endsAt) {
    // A job that was running at the claim may have held back others, which can run now.
    const wasIdle = slots.isIdle()
    const isMoreDue = await slots.fill()
    isEmpty = !isMoreDue && wasIdle && slots.isIdle() && !slots.isStopping()
    await (isMoreDue ? slots.oneIsFree() : slots.oneEnds())
  }
  await slots.allEnd()
  return { ...slots.ended, isEmpty }
}

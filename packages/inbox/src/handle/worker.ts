import { checkOption, checkTime, InboxError } from '../errors.ts'
import type { OpenExtensions } from '../extension.ts'
import { inOwnContext } from '../own-context.ts'
import { repeat } from '../repeat.ts'
import { waitAtMost, withQueueTimeout } from '../timeout.ts'
import { withResolvers } from '../with-resolvers.ts'
import { createAttempts, type AttemptContext } from './attempt.ts'
import { createAttemptPool, type AttemptPool } from './attempt-pool.ts'
import { createClaim, unclaim, type ClaimedEntry } from './claim.ts'
import { createReports, type FailureOptions, type Reports } from './failure.ts'
import { createHandlerTimes } from './handler-times.ts'
import { indexHandlers, readLimits, type HandlerLimits, type Handlers } from './handlers.ts'
import { moveJobs } from './move-jobs.ts'
import { createPauseCache } from './pause-cache.ts'
import { createSweep } from './sweep.ts'
import { warnOfConnections, warnOfTypes } from './warnings.ts'

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
  /**
   * While many events wait, up to eight handlers that mostly take less than half of this time share a
   * transaction, in milliseconds: no further one begins after it, and after five times of it each
   * runs again alone. They see the same `now()`, and hold their locks longer. 0 gives each handler a
   * transaction of its own; 10,000 is the maximum.
   * @default 20
   */
  shareTransactionMs?: number
}

export interface DrainOptions extends WorkOptions {
  /**
   * How long a drain claims new jobs, in milliseconds. It then waits for running handlers.
   * @default 20_000
   */
  forMs?: number
}

/** How many attempts a drain made, and whether it left due jobs behind. */
export interface Drained {
  /** Attempts that ended an entry. */
  handled: number
  /** Attempts that failed. Their entries are retried later, or dead. */
  failed: number
  /**
   * Whether the drain ended because no due job could run. Paused entries and those beyond a limit
   * stay.
   */
  isEmpty: boolean
}

/** Handles the entries of an inbox. Nothing runs before `work` or `drain`. */
export interface Worker<AppTx> {
  /** Resolves once it listens for new jobs. Errors: `already_working`, `bad_handler`. */
  work(handlers: Handlers<AppTx>, options?: WorkOptions): Promise<void>
  /** Handles due jobs and returns. Errors: `bad_handler`. */
  drain(handlers: Handlers<AppTx>, options?: DrainOptions): Promise<Drained>
  /** Stops claiming, and waits for running handlers: for some time, then with aborted signals. */
  stop(timeoutMs: number): Promise<void>
}

export interface WorkerContext<AppTx> extends AttemptContext<AppTx> {
  /** Their maintenance runs beside the handlers. */
  extensions: OpenExtensions
}

/** For due jobs without a notification: a retry that is due, or a notification that was lost. */
const pollMs = 500
/** The same while nothing happens and notifications are heard, so that a lost one costs this. */
const quietPollMs = 10_000
/** How often the jobs of killed workers are looked for, while any are claimed. */
const superviseIntervalMs = 10_000
const maintenanceIntervalMs = 5 * 60_000
/** Limits the maintenance of extensions in a drain. The next one continues. */
const drainMaintenanceMs = 2_000
/** Old processes of a deploy that changes `ordered` may store events until they are gone. */
const moveIntervalMs = 60_000

export function createWorker<AppTx>(context: WorkerContext<AppTx>): Worker<AppTx> {
  const { database, queue, extensions, onError } = context
  // Each sweep continues where the last one ended.
  const sweep = createSweep(context)
  const pauses = createPauseCache(context)
  const active = new Set<{ stop(timeoutMs: number): Promise<void> }>()
  let isWorking = false
  let isStopping = false
  let maintainedAt = -Infinity
  let supervisedAt = -Infinity

  return {
    work,
    drain,
    async stop(timeoutMs) {
      isStopping = true
      await Promise.all([...active].map((one) => one.stop(timeoutMs)))
    },
  }

  async function work(handlers: Handlers<AppTx>, options: WorkOptions = {}): Promise<void> {
    if (isWorking) {
      throw new InboxError('already_working', 'This inbox is already working. Call work only once.')
    }
    const bell = createBell()
    const { pool, reports } = openPool(handlers, options, bell.ring)
    isWorking = true
    database.reserve()
    void warnOfConnections(context, options.concurrency).catch(() => undefined)
    const stopping = new AbortController()
    const untilStop = { signal: stopping.signal, onError }
    const move = (signal: AbortSignal) => moveJobs(context, signal)
    const moving = repeatNow(moveIntervalMs, move, untilStop)
    const supervision = { isNeeded: true, onSupervised: bell.ring }
    // Not awaited, because only the queue can end it, which it does when it is stopped.
    void superviseQueue(stopping.signal, supervision)
    const background = Promise.all([
      moving.ended,
      repeat(maintenanceIntervalMs, (signal) => sweep(reports.dead, signal), untilStop),
      repeat(maintenanceIntervalMs, maintainExtensions, untilStop),
    ])
    // Only after the first move, so that no new event overtakes one that was stored before it.
    const claiming = moving.first.then(async () =>
      stopping.signal.aborted
        ? async () => {}
        : await inOwnContext(() => startClaiming(pool, bell, supervision)),
    )
    const working = { stop }
    active.add(working)
    try {
      await claiming
    } catch (error) {
      isWorking = false
      active.delete(working)
      stopping.abort()
      throw error
    }

    async function stop(timeoutMs: number): Promise<void> {
      stopping.abort()
      // At the same time, so that only handlers decide how long a stop takes.
      const claimingEnds = claiming.then((ended) => ended())
      const othersEnd = withQueueTimeout(Promise.all([claimingEnds, background]))
      await Promise.all([pool.stop(timeoutMs), othersEnd.catch(() => undefined)])
      await reports.delivered()
    }
  }

  async function drain(handlers: Handlers<AppTx>, options: DrainOptions = {}): Promise<Drained> {
    const { forMs = 20_000 } = options
    checkTime('forMs', forMs)
    const { pool, reports } = openPool(handlers, options)
    const stopping = new AbortController()
    const supervised = superviseQueue(stopping.signal)
    const drained = maintain(reports, stopping.signal).then(() => drainDue(pool, forMs))
    const draining = { stop }
    active.add(draining)
    try {
      const result = await drained
      // A platform may freeze the process once the drain has ended.
      await waitAtMost(drainMaintenanceMs, supervised)
      return result
    } finally {
      stopping.abort()
      active.delete(draining)
      await reports.delivered()
    }

    async function stop(timeoutMs: number): Promise<void> {
      stopping.abort()
      await pool.stop(timeoutMs)
      await withQueueTimeout(drained).catch(() => undefined)
      await reports.delivered()
    }
  }

  function openPool(
    handlers: Handlers<AppTx>,
    options: WorkOptions,
    onRoom: () => void = () => {},
  ): { pool: AttemptPool; reports: Reports } {
    const { concurrency = 4, shareTransactionMs: sharedMs = 20 } = options
    const isShared = typeof sharedMs === 'number' && sharedMs >= 0 && sharedMs <= 10_000
    checkOption(isShared, 'shareTransactionMs: use a number of milliseconds from 0 to 10,000.')
    const limits = readLimits(options.limits, handlers)
    const reports = createReports(options, context)
    const isFine = Number.isInteger(concurrency) && concurrency >= 1 && concurrency <= 1_000
    checkOption(isFine, 'concurrency: use a whole number from 1 to 1,000.')
    const findHandler = indexHandlers(handlers)
    const times = createHandlerTimes(findHandler, sharedMs / 2)
    warnOfTypes(handlers)
    const claim = createClaim(context, pauses, limits)
    const pool = createAttemptPool({
      claim: (wanted, signal) => context.failures.watch('claim', claim(wanted, signal)),
      attempts: {
        start: createAttempts(context, findHandler, { reports, times }),
        times,
        sharedMs,
        share: sharedMs > 0 ? context.transactions.share : undefined,
      },
      unclaim: (jobs, signal) => unclaim(queue, jobs, signal),
      // Limits count claimed jobs, so those of one type would keep out another worker's.
      mayClaimAhead: limits.size === 0,
      sendHeartbeat: queue.sendHeartbeat,
      onLateClaim: onRoom,
      onEnd({ groupId }: ClaimedEntry, outcome) {
        // Another job may wait for it, or its own next attempt is due soon.
        if (limits.has(groupId ?? '') || outcome !== 'handled') onRoom()
      },
      concurrency,
      onError,
    })
    return { pool, reports }
  }

  /**
   * Claims jobs while the pool has room, until it stops. Errors are reported, and claiming
   * continues. Resolves, once it listens for new jobs, with a function that waits for its end.
   */
  async function startClaiming(
    pool: AttemptPool,
    bell: Bell,
    supervision: Supervision,
  ): Promise<() => Promise<void>> {
    const subscription = await queue.listen(bell.ring, () => {
      pauses.expire()
      void pool.unclaimAll()
    })
    const claiming = claimUntilStop()
    return async () => {
      bell.ring()
      await Promise.all([subscription.close().catch(onError), claiming])
    }

    async function claimUntilStop(): Promise<void> {
      while (!pool.isEnding()) {
        const mayBeMore = await pool.fill().catch(onError)
        // While every handler runs, only the end of one matters.
        if (mayBeMore) await pool.hasRoom()
        else if (!(await bell.rung(pollMs))) await untilDue()
      }
    }

    /** While nothing happens, one short statement from time to time is enough. */
    async function untilDue(): Promise<void> {
      while (!pool.isEnding() && subscription.isListening()) {
        const status = await withQueueTimeout(queue.readStatus()).catch(() => undefined)
        const { msUntilDue = 0, hasActive = true } = status ?? {}
        supervision.isNeeded = hasActive
        const waitMs = Math.min(msUntilDue ?? quietPollMs, quietPollMs)
        if (waitMs <= 0 || (await rungOrLost(waitMs))) break
      }
      supervision.isNeeded = true
    }

    /** Like `rung`, but a lost connection ends the wait, because nothing rings until it is back. */
    async function rungOrLost(timeoutMs: number): Promise<boolean> {
      const endsAt = performance.now() + timeoutMs
      for (let leftMs = timeoutMs; leftMs > 0; leftMs = endsAt - performance.now()) {
        if (await bell.rung(Math.min(leftMs, pollMs))) return true
        if (!subscription.isListening()) return false
      }
      return false
    }
  }

  /**
   * Looks for the jobs of killed workers, which only active jobs need, and for handlers that run for
   * too long, now and at intervals. The maintenance of the queue, which is part of it, is due from
   * time to time. Resolves after the first time, even if that fails.
   */
  function superviseQueue(
    signal: AbortSignal,
    supervision: Supervision = { isNeeded: true, onSupervised: () => {} },
  ): Promise<void> {
    const report = (error: unknown) => {
      // Stopping the queue fails what it does.
      if (!isStopping) onError(error)
    }
    const supervise = async () => {
      const sinceMs = performance.now() - supervisedAt
      const leastMs = supervision.isNeeded ? superviseIntervalMs / 2 : maintenanceIntervalMs
      if (sinceMs < leastMs) return
      supervisedAt = performance.now()
      await queue.supervise()
      supervision.onSupervised()
    }
    return repeatNow(superviseIntervalMs, supervise, { signal, onError: report }).first
  }

  /** On platforms without a long-running process, nothing else maintains the inbox. */
  async function maintain(reports: Reports, signal: AbortSignal): Promise<void> {
    await moveJobs(context, signal).catch(onError)
    const now = performance.now()
    if (now - maintainedAt < maintenanceIntervalMs) return
    maintainedAt = now
    await sweep(reports.dead, signal).catch(onError)
    const ending = AbortSignal.any([signal, AbortSignal.timeout(drainMaintenanceMs)])
    await maintainExtensions(ending)
  }

  async function maintainExtensions(signal: AbortSignal): Promise<void> {
    await extensions.maintain({ signal, isPruning: false, onError })
  }
}

/** Handles due jobs until none is left, the time is up, or the pool stops. */
async function drainDue(pool: AttemptPool, forMs: number): Promise<Drained> {
  const endsAt = performance.now() + forMs
  let isEmpty = false
  try {
    while (!isEmpty && !pool.isEnding() && performance.now() < endsAt) {
      // A job that was running at the claim may have held back others, which can run now.
      const wasIdle = pool.isIdle()
      const mayBeMore = await pool.fill()
      isEmpty = !mayBeMore && wasIdle && pool.isIdle() && !pool.isEnding()
      await (mayBeMore ? pool.hasRoom() : pool.oneEnds())
    }
  } finally {
    await pool.end()
  }
  return { ...pool.outcomes, isEmpty }
}

/** Like `repeat`. `first` resolves after the first time, even if that fails. */
function repeatNow(...[ms, run, options]: Parameters<typeof repeat>) {
  const first = withResolvers()
  const ended = repeat(ms, (signal) => run(signal).finally(first.resolve), options)
  return { first: first.promise, ended }
}

/** Rings for new jobs, and the claims hear it. */
interface Bell {
  ring(): void
  /** Waits for a ring, which may have come already, or for a time; false if none came. */
  rung(timeoutMs: number): Promise<boolean>
}

function createBell(): Bell {
  let next = withResolvers()
  return {
    ring: () => next.resolve(),
    async rung(timeoutMs) {
      let hasRung = true
      const timer = setTimeout(() => {
        hasRung = false
        next.resolve()
      }, timeoutMs)
      await next.promise
      clearTimeout(timer)
      next = withResolvers()
      return hasRung
    },
  }
}

interface Supervision {
  /** Whether killed workers are looked for. */
  isNeeded: boolean
  /** Called when jobs may be due again. */
  onSupervised: () => void
}

// The way of a claimed job. Each arrow leads to an end.
//
//     queued      waits for a free handler, if none is at its claim (local-queue.ts)
//       |         -> unclaimed    it has waited too long, or a pause or a stop came first
//     begun       its handler runs, and heartbeats keep its claim (attempt.ts)
//       |         -> unclaimed    its transaction could not begin
//       |         -> rolled_back  so was the transaction that it shares; next time it runs alone
//       |         -> failed       its handler has rejected, or was given up at a stop (failure.ts)
//       |         -> lost         another worker has claimed it; counts as failed, and stores nothing
//     returned    only its commit is left, and the next handler may begin
//       |         -> rolled_back, failed or lost, as above
//     handled     its commit has ended the entry and the job (finish.ts)
//
// A job that is unclaimed or rolled back is due at once, and has used no attempt.
import { setMaxListeners } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { InboxError } from '../errors.ts'
import { withQueueTimeout, withTimeout } from '../timeout.ts'
import { withResolvers, type Resolvers } from '../with-resolvers.ts'
import type { Attempt, Outcome } from './attempt.ts'
import type { ClaimedEntry } from './claim.ts'
import { createHeartbeats } from './heartbeats.ts'
import { createLocalQueue } from './local-queue.ts'
import { createAttemptGroups, type AttemptGroupsOptions } from './shared-transaction.ts'
import type { RunInTransaction } from './transactions.ts'

/**
 * The attempts in progress, up to a maximum number, with heartbeats for their jobs. While one
 * transaction commits, the next handler may begin. If commits are slow, as many transactions may
 * wait for theirs as handlers may run.
 */
export interface AttemptPool {
  /** How many attempts have ended an entry, and how many have failed. */
  readonly outcomes: { handled: number; failed: number }
  /** Whether no attempt is in progress, and no claimed job waits for one. */
  isIdle(): boolean
  /** Whether `end` or `stop` was called, after which no handler begins. */
  isEnding(): boolean
  /**
   * Claims as many jobs as may run, and some for the next handlers. Returns whether more may be
   * claimed; false if these were all.
   */
  fill(): Promise<boolean>
  /** Resolves once there is room for more claimed jobs, or none may run any more. */
  hasRoom(): Promise<void>
  /** Makes jobs due again that are claimed but have not begun. */
  unclaimAll(): Promise<void>
  /** Resolves once a current attempt ends, or immediately if there is none. */
  oneEnds(): Promise<void>
  /** Starts no more handlers, unclaims what waits, and resolves once all attempts have ended. */
  end(): Promise<void>
  /**
   * Starts no more handlers, and waits for running ones: four fifths of the time as they are, then
   * with aborted signals. Gives up those that still run, and lets their jobs be retried.
   */
  stop(timeoutMs: number): Promise<void>
}

export interface AttemptPoolOptions<AppTx> {
  /** Claims up to a number of jobs. The signal aborts when the pool ends. */
  claim: (wanted: number, signal: AbortSignal) => Promise<ClaimedEntry[]>
  /** Whether jobs may be claimed for which no handler is free yet. */
  mayClaimAhead: boolean
  attempts: Pick<AttemptGroupsOptions<AppTx>, 'start' | 'share' | 'sharedMs' | 'times'>
  /** As `unclaim` of claim.ts. */
  unclaim: (jobs: readonly ClaimedEntry[], signal: AbortSignal) => Promise<void>
  /** Sends a heartbeat; false if another attempt has claimed the job. */
  sendHeartbeat: (job: ClaimedEntry) => Promise<boolean>
  /** Called once the jobs of a late claim can be begun. */
  onLateClaim: () => void
  /** Called at the end of each attempt. */
  onEnd: (job: ClaimedEntry, outcome: Outcome) => void
  concurrency: number
  onError: (error: unknown) => void
}

/** How long nothing is claimed after an attempt that could not begin, for want of a connection. */
const restMs = 1_000
/** How long a stop waits for the database to store the attempts that it gives up. */
const giveUpMs = 2_000

export function createAttemptPool<AppTx>(options: AttemptPoolOptions<AppTx>): AttemptPool {
  const { attempts, mayClaimAhead, onEnd, concurrency, onError } = options
  const ending = new AbortController()
  // In an outage many jobs may wait for their unclaim.
  setMaxListeners(0, ending.signal)
  const unclaim = (jobs: readonly ClaimedEntry[]) => options.unclaim(jobs, ending.signal)
  const running = new Set<Attempt>()
  /** How many have not ended, and in how many of them a handler runs. */
  const groups = { open: 0, handling: 0 }
  const free = () => Math.min(concurrency - groups.handling, 2 * concurrency - groups.open)
  const localQueue = createLocalQueue({ unclaim, concurrency, onUnclaim: change, onError })
  const outcomes = { handled: 0, failed: 0 }
  const beginGroup = createAttemptGroups({
    ...attempts,
    start: startAttempt,
    isOneWaiting: () => !localQueue.isEmpty(),
    takeNext: (isWanted) => (ending.signal.aborted ? undefined : localQueue.next(isWanted)),
  })
  let endedSinceClaim = 0
  let restsUntil = 0
  const keepAlive = createHeartbeats(running, options.sendHeartbeat, onError)
  const claims = createClaims((wanted) => options.claim(wanted, ending.signal), options.onLateClaim)
  // One promise for all who wait: a race against many long ones would keep a callback in each.
  let changed: Resolvers<void> | undefined

  return {
    outcomes,
    isIdle: () => groups.open === 0 && localQueue.isEmpty(),
    isEnding: () => ending.signal.aborted,
    fill,
    hasRoom: () => until(() => isRoom() || ending.signal.aborted),
    unclaimAll: localQueue.unclaimAll,
    oneEnds: () => until(() => groups.open === 0 || endedSinceClaim > 0),
    end: () => endAfter(allEnd),
    stop: (timeoutMs) => endAfter(() => allEndWithin(timeoutMs)),
  }

  async function fill(): Promise<boolean> {
    await rest()
    if (ending.signal.aborted) return false
    endedSinceClaim = 0
    const wanted = roundDown(free() + (mayClaimAhead ? localQueue.wanted() : 0))
    // A notification came while every handler runs.
    if (wanted === 0 && !claims.isPending()) return true
    const { claimed, mayBeMore } = await claims.next(wanted)
    const jobs = await withoutWaitingRetries(claimed)
    if (ending.signal.aborted) {
      await unclaim(jobs)
      return false
    }
    const retriesFirst = jobs.toSorted((a, b) => Number(isRetry(b)) - Number(isRetry(a)))
    const canBegin = free()
    localQueue.add(retriesFirst.slice(canBegin))
    for (const job of retriesFirst.slice(0, canBegin)) begin(job)
    beginNext()
    return mayBeMore
  }

  /**
   * Unclaims retries that would have to wait: if the process then died, they would have used an
   * attempt without having run, and so on until none is left. Before any handler begins, because it
   * may be the one that ends the process.
   */
  async function withoutWaitingRetries(claimed: ClaimedEntry[]): Promise<ClaimedEntry[]> {
    let jobs = claimed
    // Meanwhile, jobs that were claimed before may begin.
    for (;;) {
      const tooMany = jobs.filter(isRetry).slice(free())
      if (tooMany.length === 0) return jobs
      localQueue.backOff()
      // Not throughout an outage, because the others have no heartbeats meanwhile.
      const unclaimed = options.unclaim(tooMany, AbortSignal.abort())
      await unclaimed.catch(() => void unclaim(tooMany).catch(onError))
      jobs = jobs.filter((job) => !tooMany.includes(job))
    }
  }

  function isRoom(): boolean {
    return (free() > 0 && localQueue.isEmpty()) || (mayClaimAhead && localQueue.isLow())
  }

  function begin(job: ClaimedEntry): void {
    const { returned, ended } = beginGroup(job)
    groups.open += 1
    groups.handling += 1
    void watch(returned, 'handling')
    void watch(ended, 'open')
  }

  async function watch(end: Promise<unknown>, counted: keyof typeof groups): Promise<void> {
    await end
    groups[counted] -= 1
    beginNext()
    change()
  }

  function startAttempt(job: ClaimedEntry, join?: RunInTransaction<AppTx>): Attempt {
    const attempt = attempts.start(job, join)
    running.add(attempt)
    keepAlive()
    return { ...attempt, outcome: recordOutcome(attempt) }
  }

  /** Begins jobs of the local queue, while handlers are free. */
  function beginNext(): void {
    if (performance.now() < restsUntil) void localQueue.unclaimAll()
    while (free() > 0 && !ending.signal.aborted) {
      const job = localQueue.next()
      if (!job) return
      begin(job)
    }
  }

  /** The jobs of attempts that could not begin are due at once, for a process with a connection. */
  async function rest(): Promise<void> {
    const leftMs = restsUntil - performance.now()
    if (leftMs <= 0) return
    await delay(leftMs, undefined, { signal: ending.signal }).catch(() => undefined)
  }

  /** Resolves once the end of an attempt is counted, and its job is due again if it was none. */
  async function recordOutcome(attempt: Attempt): Promise<Outcome> {
    const { job } = attempt
    const outcome = await attempt.outcome
    // From here on a stop must not give it up, because that would use an attempt.
    running.delete(attempt)
    if (outcome === 'unclaimed') restsUntil = performance.now() + restMs
    if (outcome === 'unclaimed' || outcome === 'rolled_back') {
      // If even that fails, the queue finds the job once its heartbeat is missed.
      await unclaim([job]).catch(onError)
    } else {
      outcomes[outcome] += 1
      localQueue.onEnd()
    }
    endedSinceClaim += 1
    onEnd(job, outcome)
    change()
    return outcome
  }

  async function endAfter(attemptsEnd: () => Promise<void>): Promise<void> {
    ending.abort()
    change()
    // Nobody takes the jobs of a late claim any more.
    const late = claims.inProgress().then(unclaim).catch(onError)
    const unclaimed = Promise.all([localQueue.unclaimAll(), late])
    await attemptsEnd()
    await withQueueTimeout(unclaimed).catch(onError)
  }

  async function allEndWithin(timeoutMs: number): Promise<void> {
    const aborting = setTimeout(() => {
      const reason = new DOMException('The inbox is stopping.', 'AbortError')
      for (const attempt of running) attempt.abort(reason)
    }, timeoutMs * 0.8)
    await withTimeout(allEnd(), timeoutMs, notFinished).catch(giveUp)
    clearTimeout(aborting)
  }

  // Without an answer, the queue finds the jobs once their heartbeats are missed.
  async function giveUp(): Promise<void> {
    const givingUp = Promise.all([...running].map((attempt) => attempt.giveUp(notFinished())))
    await withTimeout(givingUp, giveUpMs, notFinished).catch(onError)
    for (const attempt of running) attempt.lose(notFinished())
    // The others wait for an answer to their unclaim.
    await withQueueTimeout(allEnd()).catch(onError)
  }

  function allEnd(): Promise<void> {
    return until(() => groups.open === 0)
  }

  async function until(isReached: () => boolean): Promise<void> {
    while (!isReached()) await (changed ??= withResolvers()).promise
  }

  function change(): void {
    changed?.resolve()
    changed = undefined
  }
}

/** Claimed jobs, and whether there may be more: false if these were all. */
interface Claimed {
  claimed: ClaimedEntry[]
  mayBeMore: boolean
}

/**
 * Limits how long a claim is waited for. A late one goes on, and the next call takes its jobs:
 * `onLate` is called once they can be begun.
 */
function createClaims(claim: (wanted: number) => Promise<ClaimedEntry[]>, onLate: () => void) {
  let pending: Promise<Claimed> | undefined

  return {
    isPending: () => pending !== undefined,
    /** The jobs that the claim in progress will bring. */
    async inProgress(): Promise<ClaimedEntry[]> {
      return (await pending?.catch(() => undefined))?.claimed ?? []
    },
    async next(wanted: number): Promise<Claimed> {
      const current = (pending ??= claimUpTo(wanted))
      const answered = current.then(noop, noop)
      await withQueueTimeout(answered).catch((error: unknown) => {
        void answered.then(onLate)
        throw error
      })
      pending = undefined
      return await current
    },
  }

  async function claimUpTo(wanted: number): Promise<Claimed> {
    const claimed = await claim(wanted)
    return { claimed, mayBeMore: claimed.length >= wanted }
  }
}

function noop(): void {}

function notFinished(): InboxError {
  return new InboxError('not_finished', 'The inbox stopped before the handler finished.')
}

function isRetry({ retryCount }: ClaimedEntry): boolean {
  return retryCount > 0
}

/** To a power of two, so that connections keep the plans of a few statements. */
function roundDown(count: number): number {
  return count === 0 ? 0 : 2 ** Math.floor(Math.log2(count))
}

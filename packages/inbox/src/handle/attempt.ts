import { AsyncResource } from 'node:async_hooks'
import { untilAvailable } from '@feed-receiver/database/internal'
import type { FeedEvent } from '@feed-receiver/core'
import type { Queryable } from '@feed-receiver/database'
import type { InboxContext } from '../context.ts'
import { readEntry } from '../entry/read-entry.ts'
import { InboxError } from '../errors.ts'
import type { FailureLog } from '../failure-log.ts'
import type { SqlExecutor } from '../queue/queue.ts'
import { isOfApp } from '../sql-states.ts'
import { inSpan, instruments } from '../telemetry/instruments.ts'
import { linksTo } from '../telemetry/trace-context.ts'
import { withResolvers } from '../with-resolvers.ts'
import type { ClaimedEntry } from './claim.ts'
import { effectInsideTx, openEffects, type OpenEffects } from './effects.ts'
import { failAttempt, type Reports } from './failure.ts'
import { createFinish, explainFinish, explainTx } from './finish.ts'
import type { HandlerTimes } from './handler-times.ts'
import type { FindHandler } from './handlers.ts'
import { needsOwnTransaction, type RunInTransaction, type Transactions } from './transactions.ts'

/** What handlers run in. */
export interface AttemptContext<AppTx> extends InboxContext {
  transactions: Transactions<AppTx>
  onError: (error: unknown) => void
  /** For the health. */
  failures: FailureLog
}

/** One attempt at one entry. */
export interface Attempt {
  job: ClaimedEntry
  /** Resolves when its handler has returned, or is lost. The commit may still follow. */
  returned: Promise<unknown>
  /** Whether its handler has returned. Its commit then finds out whether the claim is lost. */
  hasReturned(): boolean
  /**
   * `unclaimed` if its transaction could not begin, and `rolled_back` if the one that it shares was
   * rolled back. Both are no attempts: the pool makes the job due again. Never rejects.
   */
  outcome: Promise<Outcome>
  /** Aborts the signal of its handler. */
  abort(reason: Error): void
  /**
   * Gives the attempt up, because another worker has claimed the job. Its handler can no longer
   * change anything, and may hang forever, for example on a connection of the app's own.
   */
  lose(reason: Error): void
  /** Stores the attempt as failed, whatever its handler does. */
  giveUp(reason: Error): Promise<void>
}

export type Outcome = 'handled' | 'failed' | 'unclaimed' | 'rolled_back'

/** Starts an attempt at a claimed job, in a transaction of its own unless it joins another one. */
export type StartAttempt<AppTx> = (job: ClaimedEntry, join?: RunInTransaction<AppTx>) => Attempt

/** Creates the function that starts attempts. */
export function createAttempts<AppTx>(
  context: AttemptContext<AppTx>,
  findHandler: FindHandler<AppTx>,
  { reports, times }: { reports: Reports; times: HandlerTimes },
): StartAttempt<AppTx> {
  const { database, source, queue, onError } = context
  const runHandler = createRunHandler(context, findHandler, times)

  return (job, join) => {
    const stopping = new AbortController()
    const returned = withResolvers()
    const ended = withResolvers<Outcome>()
    const run: Run = {
      signal: stopping.signal,
      ended: ended.promise,
      lostBecause: undefined,
      hasReturned: false,
      onReturn: returned.resolve,
    }
    void handle(job, run, join).then(end)
    return {
      job,
      returned: returned.promise,
      hasReturned: () => run.hasReturned,
      outcome: ended.promise,
      abort: (reason) => stopping.abort(reason),
      lose(reason) {
        run.lostBecause ??= reason
        stopping.abort(reason)
        end('failed')
      },
      giveUp: (reason) => fail(job, reason),
    }

    function end(outcome: Outcome): void {
      returned.resolve()
      ended.resolve(outcome)
    }
  }

  async function handle(
    job: ClaimedEntry,
    run: Run,
    join?: RunInTransaction<AppTx>,
  ): Promise<Outcome> {
    try {
      // Another job of the entry has ended it, for example if a sweep queued it twice.
      if (job.state !== null && job.state !== 'received') {
        await database.tx((tx) => queue.complete(job, tx))
        return 'handled'
      }
      const event = eventOf(job)
      const reached = await measure(source, job, event, () => runHandler(job, event, run, join))
      return reached === 'done' || reached === 'skipped' ? 'handled' : reached
    } catch (error) {
      // Another attempt has the job, or `giveUp` has stored the failure.
      if (run.lostBecause === undefined || error !== run.lostBecause) await fail(job, error)
      return 'failed'
    }
  }

  // If even that fails, the queue finds the job once its heartbeat is missed.
  async function fail(job: ClaimedEntry, error: unknown): Promise<void> {
    await failAttempt(context, reports, job, error).catch(onError)
  }
}

/** The event to handle. Errors: `entry_missing`. */
function eventOf(job: ClaimedEntry): FeedEvent {
  const { entryId } = job.data
  if (job.state === null) {
    throw new InboxError('entry_missing', `Entry ${entryId} of this job does not exist.`)
  }
  const event = readEntry(job)
  if (event) return event
  throw new InboxError('entry_missing', `The content of entry ${entryId} is no longer stored.`)
}

/** What an attempt and the run of its handler know of each other. */
interface Run {
  /** Aborts when the handler should end. */
  readonly signal: AbortSignal
  /** Resolves once the attempt has ended, although its handler may still run. */
  readonly ended: Promise<unknown>
  /** Why the claim is lost, once it is. Nothing that the handler does counts any more. */
  lostBecause: Error | undefined
  /** Whether only the commit is left. */
  hasReturned: boolean
  /** Called when that is so. */
  readonly onReturn: () => void
}

type RunResult = 'done' | 'skipped' | 'unclaimed' | 'rolled_back'

/**
 * Creates the function that runs a handler in its transaction. The writes of the handler through
 * `tx`, the state of the entry and the end of the job are in it, so that all happen exactly once or
 * not at all.
 */
function createRunHandler<AppTx>(
  context: AttemptContext<AppTx>,
  findHandler: FindHandler<AppTx>,
  times: HandlerTimes,
) {
  const { database, tables, source, queue, transactions, failures, onError } = context
  const finish = createFinish(context)
  // Bound here, outside of any transaction.
  const queryOutside = AsyncResource.bind(database.query)

  return async (
    job: ClaimedEntry,
    event: FeedEvent,
    run: Run,
    join?: RunInTransaction<AppTx>,
  ): Promise<RunResult> => {
    const { signal, ended } = run
    const handler = findHandler(event.type)
    const reached = handler ? 'done' : 'skipped'
    let effects: OpenEffects | undefined
    try {
      const runInTransaction = join ?? transactions.run
      await runInTransaction(async (tx, sql) => {
        effects = openEffectsIn(sql)
        try {
          await callHandler(tx, sql, effects)
          run.hasReturned = true
          run.onReturn()
          await finish(sql, job, reached)
        } catch (error) {
          throw run.lostBecause ? error : await explainTx(sql, error)
        }
      }, signal)
    } catch (cause) {
      await effects?.drain()
      if (join) return 'rolled_back'
      // Nothing comes of a transaction that does not begin, so it is no attempt.
      if (!effects) {
        onError(cause)
        return 'unclaimed'
      }
      const error = explainFinish(cause, job.data.entryId)
      if (run.hasReturned && !isOfApp(error, queue.schema)) failures.failed('finish', error)
      throw error
    }
    failures.succeeded('finish')
    return reached

    /** Returns once the handler and its effects have ended. */
    async function callHandler(tx: AppTx, sql: SqlExecutor, ofRun: OpenEffects): Promise<void> {
      const { retryCount, receivedAt, revision, via, change, reprocess } = job
      const ofJob = { attempt: retryCount + 1, receivedAt, via, change, revision, reprocess }
      const calledAt = performance.now()
      // A stop may have ended while the transaction waited for its connection.
      throwIfLost(run)
      const handling = handler?.(event, { ...ofJob, signal, tx, effects: ofRun })
      // A handler that ignores its signal would hold its connection for ever.
      const mayLeave = !join && transactions.canBeTakenBack
      await (mayLeave ? Promise.race([handling, ended]) : handling)
      throwIfLost(run)
      times.add(event.type, ofRun.areUsed() ? Infinity : performance.now() - calledAt)
      // It may have caught the rejection of its effect.
      if (join && ofRun.areUsed()) throw needsOwnTransaction()
      // Not in a transaction that holds the embedded database, which they would wait for.
      if (sql.isBegun !== true) await ofRun.drain()
    }

    function openEffectsIn(sql: SqlExecutor): OpenEffects {
      const entry = { id: job.data.entryId, source, eventId: event.id, round: job.effectRound }
      const query: Queryable['query'] = (...statement) =>
        untilAvailable(() => queryOutside(...statement), signal)
      return openEffects(query, tables, entry, (key) => {
        if (join) throw needsOwnTransaction()
        if (sql.isBegun === true) throw effectInsideTx(key)
      })
    }
  }
}

function throwIfLost({ lostBecause }: Run): void {
  if (lostBecause) throw lostBecause
}

/**
 * Measures an attempt, including its commit, in a trace of its own that links to the acceptance. A
 * run that was no attempt only gets a span.
 */
async function measure(
  source: string,
  job: ClaimedEntry,
  { id, type }: FeedEvent,
  run: () => Promise<RunResult>,
): Promise<RunResult> {
  const ofEvent = { 'feed.source': source, 'feed.event.id': id, 'feed.event.type': type }
  const attributes = { ...ofEvent, 'feed.attempt': job.retryCount + 1 }
  const options = { root: true, links: linksTo(job.traceparent), attributes }
  return await inSpan('inbox handle', { kind: 'CONSUMER', ...options }, async (span) => {
    const startedAt = performance.now()
    const ofSource = { 'feed.source': source }
    instruments().claimSeconds.record((startedAt - job.claimedAt) / 1_000, ofSource)
    let outcome: RunResult | 'failed' = 'failed'
    try {
      outcome = await run()
      return outcome
    } finally {
      span?.setAttribute('feed.outcome', outcome)
      if (outcome !== 'rolled_back' && outcome !== 'unclaimed') {
        const labels = { ...ofSource, 'feed.outcome': outcome }
        instruments().handlerSeconds.record((performance.now() - startedAt) / 1_000, labels)
        instruments().handled.add(1, labels)
      }
    }
  })
}

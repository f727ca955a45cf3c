import { AsyncResource } from 'node:async_hooks'
import { untilAvailable } from '@feed-receiver/database/internal'
import { type Queryable } from '@feed-receiver/database'
import type { InboxContext } from '../context.ts'
import { readEntry } from '../entry/read-entry.ts'
import { InboxError } from '../errors.ts'
import type { FailureLog } from '../failure-log.ts'
import { isOfApp } from '../sql-states.ts'
import { inSpan, instruments } from '../telemetry/instruments.ts'
import { linksTo } from '../telemetry/trace-context.ts'
import { unclaim, type ClaimedEntry } from './claim.ts'
import { effectInsideTx, openEffects, type OpenEffects } from './effects.ts'
import { failAttempt, type Reports } from './failure.ts'
import { createFinish, explainFinish, explainTx } from './finish.ts'
import type { HandlerTimes } from './handler-times.ts'
import { indexHandlers, type Handlers } from './handlers.ts'
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
   * rolled back. Both are no attempts: the job is due again. Never rejects.
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

/** Creates the function that starts attempts. Errors: `bad_handler`. */
export function createAttempts<AppTx>(
  context: AttemptContext<AppTx>,
  handlers: Handlers<AppTx>,
  { reports, times }: { reports: Reports; times: HandlerTimes },
): StartAttempt<AppTx> {
  const { queue, onError } = context
  const runHandler = createRunHandler(context, handlers, times)

  return (job, join) => {
    const stopping = new AbortController()
    const { signal } = stopping
    const losing = new AbortController()
    let isReturned = false
    const hasReturned = () => isReturned
    let onReturned = () => {}
    const handlerReturned = new Promise<void>((resolve) => (onReturned = resolve))
    let onLost: (outcome: Outcome) => void = () => {}
    const lost = new Promise<Outcome>((resolve) => (onLost = resolve))
    const outcome = Promise.race([run(), lost])
    return {
      job,
      returned: Promise.race([handlerReturned, outcome]),
      hasReturned,
      outcome,
      abort: (reason) => stopping.abort(reason),
      lose(reason) {
        stopping.abort(reason)
        losing.abort(reason)
        onLost('failed')
      },
      giveUp: fail,
    }

    function onReturn(): void {
      isReturned = true
      onReturned()
    }

    async function run(): Promise<Outcome> {
      try {
        const options = { signal, lost: losing.signal, whenLost: lost, onReturn, hasReturned, join }
        if (await runHandler(job, options)) return 'handled'
        await unclaimJob()
        return 'rolled_back'
      } catch (error) {
        if (error instanceof NotAttempted) {
          onError(error.cause)
          await unclaimJob()
          return 'unclaimed'
        }
        // Whoever made it lose the job has recorded that.
        if (!losing.signal.aborted || error !== losing.signal.reason) await fail(error)
        return 'failed'
      }
    }

    // If even that fails, the queue finds the job once its heartbeat is missed.
    // Also after the end of its handler, whose signal the rollback of a shared transaction aborts.
    async function unclaimJob(): Promise<void> {
      await untilAvailable(() => unclaim(queue, [job]), losing.signal).catch(onError)
    }

    async function fail(error: unknown): Promise<void> {
      await failAttempt(context, reports, {
        job,
        error,
        revision: job.revision ?? undefined,
      }).catch(onError)
    }
  }
}

interface RunOptions<AppTx> {
  /** Aborts when the handler should end. */
  signal: AbortSignal
  /** Aborts when the job is lost, so that nothing of the handler can be stored any more. */
  lost: AbortSignal
  /** Resolves then. */
  whenLost: Promise<unknown>
  /** Called when the handler has returned, and only the commit is left. */
  onReturn: () => void
  /** Whether `onReturn` has been called. */
  hasReturned: () => boolean
  /** The transaction that it shares. */
  join: RunInTransaction<AppTx> | undefined
}

/**
 * Creates the function that runs the handler of one claimed job. Its writes through `tx`, the state
 * of the entry and the end of the job are one transaction, so that all happen exactly once or not
 * at all. Resolves to false if a transaction that it shares was rolled back. Errors: `bad_handler`.
 */
function createRunHandler<AppTx>(
  context: AttemptContext<AppTx>,
  handlers: Handlers<AppTx>,
  times: HandlerTimes,
): (job: ClaimedEntry, options: RunOptions<AppTx>) => Promise<boolean> {
  const { database, tables, source, queue, transactions, failures } = context
  const findHandler = indexHandlers(handlers)
  const finish = createFinish(context)
  // Bound here, outside of any transaction.
  const queryOutside = AsyncResource.bind(database.query)
  const ofSource = { 'feed.source': source }

  return async (job, { signal, lost, whenLost, onReturn, hasReturned, join }) => {
    const runInTransaction = join ?? transactions.run
    const id = job.data.entryId
    if (job.state === null) {
      throw new InboxError('entry_missing', `Entry ${id} of this job does not exist.`)
    }
    // An earlier attempt succeeded, and was killed before it could complete the job.
    if (job.state !== 'received') {
      await database.tx((tx) => queue.complete(job, tx))
      return true
    }
    const event = readEntry(job)
    if (!event) {
      throw new InboxError('entry_missing', `The content of entry ${id} is no longer stored.`)
    }
    const { traceparent, receivedAt, revision, via, change, reprocess } = job
    const handler = findHandler(event.type)
    const attempt = job.retryCount + 1
    const query: Queryable['query'] = (...statement) =>
      untilAvailable(() => queryOutside(...statement), signal)
    const forHandler = { signal, attempt, receivedAt, via, change, revision, reprocess }
    const state = handler ? 'done' : 'skipped'
    const attributes = {
      'feed.source': source,
      'feed.event.id': event.id,
      'feed.event.type': event.type,
      'feed.attempt': attempt,
    }
    // A separate trace, including the commit, that links to the acceptance.
    const options = { root: true, links: linksTo(traceparent), attributes }
    return await inSpan('inbox handle', { kind: 'CONSUMER', ...options }, async (span) => {
      const startedAt = performance.now()
      instruments().claimSeconds.record((startedAt - job.claimedAt) / 1_000, ofSource)
      let reached: 'done' | 'skipped' | 'failed' | 'rolled_back' = 'failed'
      let effects: OpenEffects | undefined
      try {
        await runInTransaction(async (tx, sql) => {
          const ofEntry = { id, source, eventId: event.id, round: job.effectRound }
          effects = openEffects(query, tables, ofEntry, (key) => {
            if (join) throw needsOwnTransaction()
            if (sql.isBegun === true) throw effectInsideTx(key)
          })
          try {
            const calledAt = performance.now()
            // A stop may have ended while the transaction waited for its connection.
            lost.throwIfAborted()
            const handling = handler?.(event, { ...forHandler, tx, effects })
            // A handler that ignores its signal would hold its connection for ever.
            const mayLeave = !join && transactions.canBeTakenBack
            await (mayLeave ? Promise.race([handling, whenLost]) : handling)
            lost.throwIfAborted()
            times.add(event.type, effects.areUsed() ? Infinity : performance.now() - calledAt)
            // It may have caught the rejection of its effect.
            if (join && effects.areUsed()) throw needsOwnTransaction()
            // Not in a transaction that holds the embedded database, which they would wait for.
            if (sql.isBegun !== true) await effects.finish()
            onReturn()
            await finish(sql, job, state)
          } catch (error) {
            throw lost.aborted ? error : await explainTx(sql, error)
          }
        }, signal)
        failures.succeeded('finish')
        reached = state
        return true
      } catch (cause) {
        if (join) {
          reached = 'rolled_back'
          await effects?.finish()
          return false
        }
        if (!effects) throw new NotAttempted(cause)
        const error = explainFinish(cause, id)
        if (hasReturned() && !isOfApp(error, queue.schema)) failures.failed('finish', error)
        await effects.finish()
        throw error
      } finally {
        span?.setAttribute('feed.outcome', reached)
        if (reached !== 'rolled_back') {
          const labels = { 'feed.source': source, 'feed.outcome': reached }
          instruments().handlerSeconds.record((performance.now() - startedAt) / 1_000, labels)
          instruments().handled.add(1, labels)
        }
      }
    })
  }
}

/** Ends an attempt whose transaction could not begin. Nothing came of it, so it does not count. */
class NotAttempted extends Error {
  constructor(cause: unknown) {
    super('The transaction of the handler did not begin.', { cause })
  }
}

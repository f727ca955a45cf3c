import { AsyncResource } from 'node:async_hooks'
import { untilAvailable } from '@feed-receiver/database/internal'
import type { FeedEvent } from '@feed-receiver/core'
import type { Queryable } from '@feed-receiver/database'
import type { InboxContext } from '../context.ts'
import { readEntry } from '../entry/read-entry.ts'
import { InboxError } from '../errors.ts'
import type { FailureLog } from '../failure-log.ts'
import { isOfApp } from '../sql-states.ts'
import { inSpan, instruments } from '../telemetry/instruments.ts'
import { linksTo } from '../telemetry/trace-context.ts'
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

/** The outcome of an attempt that has begun, for the telemetry. */
type Reached = 'done' | 'skipped' | 'failed' | 'rolled_back'

/** Starts an attempt at a claimed job, in a transaction of its own unless it joins another one. */
export type StartAttempt<AppTx> = (job: ClaimedEntry, join?: RunInTransaction<AppTx>) => Attempt

/**
 * Creates the function that starts attempts. The writes of a handler through `tx`, the state of the
 * entry and the end of the job are one transaction, so that all happen exactly once or not at all.
 */
export function createAttempts<AppTx>(
  context: AttemptContext<AppTx>,
  findHandler: FindHandler<AppTx>,
  { reports, times }: { reports: Reports; times: HandlerTimes },
): StartAttempt<AppTx> {
  const { database, tables, source, queue, transactions, failures, onError } = context
  const finish = createFinish(context)
  // Bound here, outside of any transaction.
  const queryOutside = AsyncResource.bind(database.query)
  const ofSource = { 'feed.source': source }

  return (job, join) => {
    const id = job.data.entryId
    const stopping = new AbortController()
    const { signal } = stopping
    const losing = new AbortController()
    const lost = losing.signal
    let onLost: (outcome: Outcome) => void = () => {}
    const whenLost = new Promise<Outcome>((resolve) => (onLost = resolve))
    let isReturned = false
    let onReturned = () => {}
    const handlerReturned = new Promise<void>((resolve) => (onReturned = resolve))
    /** Nothing comes of a transaction that does not begin, so it is no attempt. */
    let hasBegun = true
    const outcome = Promise.race([run(), whenLost])
    return {
      job,
      returned: Promise.race([handlerReturned, outcome]),
      hasReturned: () => isReturned,
      outcome,
      abort: (reason) => stopping.abort(reason),
      lose(reason) {
        stopping.abort(reason)
        losing.abort(reason)
        onLost('failed')
      },
      giveUp: fail,
    }

    async function run(): Promise<Outcome> {
      try {
        return await handle()
      } catch (error) {
        if (!hasBegun) {
          onError(error)
          return 'unclaimed'
        }
        // Whoever made it lose the job has recorded that.
        if (!lost.aborted || error !== lost.reason) await fail(error)
        return 'failed'
      }
    }

    // If even that fails, the queue finds the job once its heartbeat is missed.
    async function fail(error: unknown): Promise<void> {
      await failAttempt(context, reports, job, error).catch(onError)
    }

    async function handle(): Promise<Outcome> {
      if (job.state === null) {
        throw new InboxError('entry_missing', `Entry ${id} of this job does not exist.`)
      }
      // An earlier attempt succeeded, and was killed before it could complete the job.
      if (job.state !== 'received') {
        await database.tx((tx) => queue.complete(job, tx))
        return 'handled'
      }
      const event = readEntry(job)
      if (!event) {
        throw new InboxError('entry_missing', `The content of entry ${id} is no longer stored.`)
      }
      const attributes = {
        'feed.source': source,
        'feed.event.id': event.id,
        'feed.event.type': event.type,
        'feed.attempt': job.retryCount + 1,
      }
      // A separate trace, including the commit, that links to the acceptance.
      const options = { root: true, links: linksTo(job.traceparent), attributes }
      return await inSpan('inbox handle', { kind: 'CONSUMER', ...options }, async (span) => {
        const startedAt = performance.now()
        instruments().claimSeconds.record((startedAt - job.claimedAt) / 1_000, ofSource)
        let reached: Reached = 'failed'
        try {
          reached = await runHandler(event)
          return reached === 'rolled_back' ? reached : 'handled'
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

    async function runHandler(event: FeedEvent): Promise<Reached> {
      const handler = findHandler(event.type)
      const reached = handler ? 'done' : 'skipped'
      const { receivedAt, revision, via, change, reprocess } = job
      const attempt = job.retryCount + 1
      const forHandler = { signal, attempt, receivedAt, via, change, revision, reprocess }
      const ofEntry = { id, source, eventId: event.id, round: job.effectRound }
      const query: Queryable['query'] = (...statement) =>
        untilAvailable(() => queryOutside(...statement), signal)
      let effects: OpenEffects | undefined
      try {
        const runInTransaction = join ?? transactions.run
        await runInTransaction(async (tx, sql) => {
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
            if (sql.isBegun !== true) await effects.drain()
            isReturned = true
            onReturned()
            await finish(sql, job, reached)
          } catch (error) {
            throw lost.aborted ? error : await explainTx(sql, error)
          }
        }, signal)
      } catch (cause) {
        await effects?.drain()
        if (join) return 'rolled_back'
        hasBegun = effects !== undefined
        if (!hasBegun) throw cause
        const error = explainFinish(cause, id)
        if (isReturned && !isOfApp(error, queue.schema)) failures.failed('finish', error)
        throw error
      }
      failures.succeeded('finish')
      return reached
    }
  }
}

import { AsyncResource } from 'node:async_hooks'
import { isError } from '@feed-receiver/core/internal'
import { isInTxSql, untilAvailable } from '@feed-receiver/database/internal'
import { type Queryable } from '@feed-receiver/database'
import type { InboxContext } from '../context.ts'
import { readEntry } from '../entry/read-entry.ts'
import { codeOf, InboxError } from '../errors.ts'
import type { FailureLog } from '../failure-log.ts'
import { wakeSql } from '../queue/notify.ts'
import type { SqlExecutor } from '../queue/queue.ts'
import { isInFailedTx, isOfApp } from '../sql-states.ts'
import { inSpan, instruments } from '../telemetry/instruments.ts'
import { linksTo } from '../telemetry/trace-context.ts'
import { unclaim, type ClaimedEntry } from './claim.ts'
import { effectInsideTx, openEffects, type OpenEffects } from './effects.ts'
import { failAttempt, type Reports } from './failure.ts'
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
    let hasReturned = false
    let onReturned = () => {}
    const handlerReturned = new Promise<void>((resolve) => (onReturned = resolve))
    let onLost: (outcome: Outcome) => void = () => {}
    const lost = new Promise<Outcome>((resolve) => (onLost = resolve))
    const outcome = Promise.race([attempt(), lost])
    return {
      job,
      returned: Promise.race([handlerReturned, outcome]),
      hasReturned: () => hasReturned,
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
      hasReturned = true
      onReturned()
    }

    async function attempt(): Promise<Outcome> {
      try {
        if (await runHandler(job, { signal, onReturn, join })) return 'handled'
        await untilAvailable(() => unclaim(queue, [job]), losing.signal).catch(onError)
        return 'rolled_back'
      } catch (error) {
        if (error instanceof NotAttempted) {
          onError(error.cause)
          await unclaim(queue, [job]).catch(onError)
          return 'unclaimed'
        }
        await fail(error)
        return 'failed'
      }
    }

    // If even that fails, the queue finds the job once its heartbeat is missed.
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
  /** Called when the handler has returned, and only the commit is left. */
  onReturn: () => void
  /** The transaction that it shares. */
  join: RunInTransaction<AppTx> | undefined
}

/**
 * Creates the function that runs the handler of one claimed job. Its writes through `tx`, the state
 * of the entry and the end of the job are one transaction, so that all happen exactly once or not
 * at all. Resolves to false if a transaction that it shares was rolled back. Errors: `bad_handler`.
 */
export function createRunHandler<AppTx>(
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

  return async (job, { signal, onReturn, join }) => {
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
      let hasReturned = false
      try {
        await runInTransaction(async (tx, sql) => {
          const ofEntry = { id, source, eventId: event.id, round: job.effectRound }
          effects = openEffects(query, tables, ofEntry, (key) => {
            if (join) throw needsOwnTransaction()
            if (sql.isBegun === true) throw effectInsideTx(key)
          })
          try {
            const calledAt = performance.now()
            await handler?.(event, { ...forHandler, tx, effects })
            times.add(event.type, effects.areUsed() ? Infinity : performance.now() - calledAt)
            // It may have caught the rejection of its effect.
            if (join && effects.areUsed()) throw needsOwnTransaction()
            // Not in a transaction that holds the embedded database, which they would wait for.
            if (sql.isBegun !== true) await effects.finish()
            hasReturned = true
            onReturn()
            await finish(sql, job, state)
          } catch (error) {
            throw await explainTx(sql, error)
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
        if (hasReturned && !isOfApp(error, queue.schema)) failures.failed('finish', error)
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

/**
 * Creates the function that ends an entry and its job in the handler's transaction, in one
 * statement, with the commit if it can. It completes the job exactly as pg-boss does, which a test
 * compares column by column, and only the claimed attempt. The transaction fails if another attempt
 * has claimed the job, or has already ended the entry, or if the content is newer than the handled
 * revision, or if the handler has ended the transaction. Errors: `claim_lost`; `explainFinish`
 * reads those of the statement.
 */
export function createFinish({ tables, queue }: InboxContext) {
  const { name, schema, partition, isOrdered } = queue
  // The next job of the order key may run now, and nothing else would notify the workers.
  const woken = `, woken as (${wakeSql(queue)} where exists (select from completed))`
  const ended = `with completed as (
      update ${schema}.${partition} set
        state = 'completed', completed_on = ${schema}.job_now(), output = null
      where name = '${name}' and id = $1 and state = 'active' and retry_count = $2
        and ${isInTxSql}
      returning id
    ) ${isOrdered ? woken : ''}, ended as (
      update ${tables.entry} set state = $4, handled_at = now(), is_reprocessed = false
      where id = $3 and state = 'received' and revision = $5 and exists (select from completed)
      returning ${isOrdered ? '(select count(*) from woken)' : '1'} as one
    )`
  const orNone = `${ended} select one from ended`
  // Nobody waits for its rows before the commit, so it must fail. No function of our own could raise
  // the error without further rights.
  const orError = `${ended} select cast(coalesce(
    (select one::text from ended),
    case when ${isInTxSql} then '${claimLostMark}' else '${transactionLeftMark}' end
  ) as bigint)`

  return async (
    sql: SqlExecutor,
    {
      id,
      retryCount,
      data,
      revision,
    }: Pick<ClaimedEntry, 'id' | 'retryCount' | 'data' | 'revision'>,
    state: 'done' | 'skipped',
  ): Promise<void> => {
    const values = [id, retryCount, data.entryId, state, revision]
    if (sql.endWith) return sql.endWith({ text: orError, values, isRepeated: true })
    const { rows } = await sql.executeSql(orNone, values)
    // Thrown inside the transaction, so that the writes of this attempt are rolled back.
    if (rows.length !== 1) throw claimLost(data.entryId)
  }
}

/** Texts that the last statement casts to a number if it did not end the entry. */
const claimLostMark = 'feed_claim_lost'
const transactionLeftMark = 'feed_transaction_left'

/** The error of an attempt, or what the last statement of its transaction has found. */
function explainFinish(cause: unknown, id: number): unknown {
  if (cause instanceof InboxError) return cause
  if (isInFailedTx(cause)) return caughtFailure(cause)
  if (!isError(cause) || codeOf(cause) !== notANumber) return cause
  if (cause.message.includes(transactionLeftMark)) return transactionLeft()
  return cause.message.includes(claimLostMark) ? claimLost(id) : cause
}

const notANumber = '22P02'

/** The error of a handler, or what it did to its transaction before. */
async function explainTx(sql: SqlExecutor, cause: unknown): Promise<unknown> {
  if (isInFailedTx(cause)) return caughtFailure(cause)
  if (sql.isBegun === false || !(await hasLeft(sql).catch(() => false))) return cause
  return transactionLeft({ cause })
}

function claimLost(id: number): InboxError {
  const message = `This attempt at entry ${id} is rolled back: its job timed out and another worker claimed it, or the content of the entry changed. The entry is handled again.`
  return new InboxError('claim_lost', message)
}

function caughtFailure(cause: unknown): InboxError {
  return new InboxError(
    'caught_failure',
    'A statement through tx failed and the handler caught its error, so the transaction cannot commit any more. Let the error leave the handler, or use a savepoint around the statement.',
    { cause },
  )
}

function transactionLeft(options?: ErrorOptions): InboxError {
  return new InboxError(
    'transaction_control',
    'The handler ended its transaction itself, for example by a commit among several statements, so its earlier writes may be stored although the entry is not done. A retry would repeat them, so the entry is dead: remove the statement, check what was written, then retry the entry.',
    options,
  )
}

/** Whether a handler has ended its transaction, for example by the second of several statements. */
async function hasLeft(sql: SqlExecutor): Promise<boolean> {
  // As text, because each driver parses other values differently.
  const text = `select case when ${isInTxSql} then 'open' else 'left' end as state`
  const { rows } = await sql.executeSql(text, [])
  return rows.some((row) => row instanceof Object && 'state' in row && row.state === 'left')
}

/** Ends an attempt whose transaction could not begin. Nothing came of it, so it does not count. */
class NotAttempted extends Error {
  constructor(cause: unknown) {
    super('The transaction of the handler did not begin.', { cause })
  }
}

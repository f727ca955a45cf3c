import { AsyncResource } from 'node:async_hooks'
import { isInTxSql, untilAvailable, type Queryable } from '@feed-receiver/database'
import { SpanKind } from '@opentelemetry/api'
import type { EntryState } from '../entry/entry-filter.ts'
import { readEntry, type EntryContent } from '../entry/read-entry.ts'
import { linksTo } from '../telemetry/trace-context.ts'
import { InboxError, problem, say } from '../errors.ts'
import { inSpan, instruments } from '../telemetry/instruments.ts'
import type { InboxContext } from '../context.ts'
import type { ClaimedJob, RunInTransaction, SqlExecutor } from '../queue/queue.ts'
import { openEffects, type OpenEffects } from './effects.ts'
import { indexHandlers, type HandlerContext, type Handlers } from './handlers.ts'
import { isInFailedTx } from '../sql-states.ts'
import { wakeSql } from '../queue/job.ts'
import type { WatchedWork } from '../watch-work.ts'

/** The database and queue in which handlers run. */
export interface WorkerContext<AppTx> extends InboxContext {
  runInTransaction: RunInTransaction<AppTx>
  onError: (error: unknown) => void
  /** For the health. */
  work: WatchedWork
}

/**
 * Creates the function that runs the handler of one claimed job. Its writes through `tx`, the state
 * of the entry and the end of the job are one transaction, so that all happen exactly once or not
 * at all. `signal` aborts when the handler should end. `onReturn` is called when it has returned
 * and only the commit is left. `claimedAt` is when the job was claimed. Errors: `bad_handler`.
 */
export function handlingOn<AppTx>(context: WorkerContext<AppTx>, handlers: Handlers<AppTx>) {
  const { database, tables, source, queue, runInTransaction, work } = context
  const findHandler = indexHandlers(handlers)
  const finishEntry = finishInOneStatement(context)
  // Bound here, outside of any transaction.
  const queryOutside = AsyncResource.bind(database.query)
  const ofSource = { 'feed.source': source }

  return async (
    job: ClaimedJob,
    entry: EntryToHandle,
    signal: AbortSignal,
    onReturn: () => void,
    claimedAt: number,
  ): Promise<void> => {
    // An earlier run succeeded, and was killed before it could complete the job.
    if (entry.state !== 'received') {
      await database.tx((tx) => queue.complete(job, tx))
      return
    }
    const event = readEntry(entry)
    if (!event) {
      throw new InboxError('entry_missing', `The content of entry ${entry.id} is no longer stored.`)
    }
    const { traceparent, receivedAt, revision, via, change, replay } = entry
    const handler = findHandler(event.type)
    const attempt = job.retryCount + 1
    const query: Queryable['query'] = (...statement) =>
      untilAvailable(() => queryOutside(...statement), signal)
    const forHandler = { signal, attempt, receivedAt, via, change, revision, replay }
    const outcome = handler ? 'done' : 'skipped'
    const attributes = {
      'feed.source': source,
      'feed.event.id': event.id,
      'feed.event.type': event.type,
      'feed.attempt': attempt,
    }
    // A separate trace, including the commit, that links to the acceptance.
    const options = { kind: SpanKind.CONSUMER, root: true, links: linksTo(traceparent), attributes }
    await inSpan('inbox handle', options, async (span) => {
      const startedAt = performance.now()
      instruments().claimSeconds.record((startedAt - claimedAt) / 1_000, ofSource)
      let reached: 'done' | 'skipped' | 'failed' = 'failed'
      let effects: OpenEffects | undefined
      try {
        await runInTransaction(async (tx, sql) => {
          const ledger = { id: entry.id, key: `${source}/${event.id}`, round: entry.effectRound }
          effects = openEffects(query, tables, ledger, () => sql.isBegun === true)
          try {
            await handler?.(event, { ...forHandler, tx, effects })
            // Not in a transaction that holds the embedded database, which they would wait for.
            if (sql.isBegun !== true) await effects.settle()
            onReturn()
            const finishing = finishEntry(sql, { job, revision, state: outcome })
            const isOurs = await work.watch('finish', finishing)
            // Thrown inside the transaction, so that the writes of this run are rolled back.
            if (!isOurs) throw problem('claim_lost', { id: entry.id })
          } catch (error) {
            throw await explainTx(sql, error)
          }
        }, signal)
        reached = outcome
      } catch (error) {
        if (!effects) throw new NotAttempted(error)
        await effects.settle()
        throw error
      } finally {
        const labels = { 'feed.source': source, 'feed.outcome': reached }
        instruments().handlerSeconds.record((performance.now() - startedAt) / 1_000, labels)
        instruments().handled.add(1, labels)
        span.setAttribute('feed.outcome', reached)
      }
    })
  }
}

/** Rejects a run whose transaction could not begin. Nothing came of it, so it is no attempt. */
export class NotAttempted extends Error {
  constructor(cause: unknown) {
    super('The transaction of the handler did not begin.', { cause })
  }
}

/** The error of a run, or what the handler did to its transaction before. */
async function explainTx(sql: SqlExecutor, cause: unknown): Promise<unknown> {
  if (isInFailedTx(cause)) return problem('caught_failure', {}, { cause })
  if (sql.isBegun === false || !(await hasLeft(sql).catch(() => false))) return cause
  return new InboxError('transaction_control', say('transaction_left'), { cause })
}

/** Whether a handler has ended its transaction, for example by the second of several statements. */
async function hasLeft(sql: SqlExecutor): Promise<boolean> {
  // As text, because each driver parses other values differently.
  const text = `select case when ${isInTxSql} then 'open' else 'left' end as state`
  const { rows } = await sql.executeSql(text, [])
  return rows.some((row) => row instanceof Object && 'state' in row && row.state === 'left')
}

/** The columns of an entry that a worker needs. */
export interface EntryToHandle
  extends
    EntryContent,
    Pick<HandlerContext, 'revision' | 'via' | 'change' | 'receivedAt' | 'replay'> {
  id: number
  /** How often its effects were requested again. */
  effectRound: number
  state: EntryState
  eventId: string
  /** The trace in which it was accepted. */
  traceparent: string | null
}

/** The columns, named like its members. */
export const toHandleColumns = `
  id, state, event_id as "eventId", body, pull, revision, via, change, received_at as "receivedAt",
  is_replay as replay, effect_round as "effectRound", headers ->> 'traceparent' as traceparent`

/** Entries by their keys, without missing ones. */
export async function findEntries(
  { database, tables }: InboxContext,
  ids: readonly number[],
): Promise<Map<number, EntryToHandle>> {
  const { rows } = await database.query<EntryToHandle>(
    `select ${toHandleColumns} from ${tables.entry} left join ${tables.entryBody} on entry_id = id
     where id = any($1::bigint[])`,
    [ids],
  )
  return new Map(rows.map((row) => [row.id, row]))
}

/** How a run succeeds. */
interface FinishedRun {
  job: ClaimedJob
  /** The handled revision. If there is a newer one, the run does not count. */
  revision: number
  state: 'done' | 'skipped'
}

export type FinishEntry = ReturnType<typeof finishInOneStatement>

/**
 * Creates the function that ends an entry and its job in the handler's transaction, in one
 * statement; false if another run has claimed the job, or has already ended the entry, or if the
 * handler has ended the transaction. It completes the job exactly as pg-boss does, which a test
 * compares column by column, and only the claimed attempt.
 */
export function finishInOneStatement({ tables, queue }: InboxContext) {
  const { name, schema, partition, isOrdered } = queue
  // The next job of the order key may run now, and nothing else would notify the workers.
  const woken = `, woken as (${wakeSql(queue)} where exists (select from completed))`
  const text = `with completed as (
      update ${schema}.${partition} set
        state = 'completed', completed_on = ${schema}.job_now(), output = null
      where name = '${name}' and id = $1 and state = 'active' and retry_count = $2
        and ${isInTxSql}
      returning id
    ) ${isOrdered ? woken : ''}
    update ${tables.entry} set state = $4, handled_at = now(), is_replay = false
    where id = $3 and state = 'received' and revision = $5 and exists (select from completed)
    returning ${isOrdered ? '(select count(*) from woken)' : '1'}`
  return async (sql: SqlExecutor, { job, revision, state }: FinishedRun): Promise<boolean> => {
    const values = [job.id, job.retryCount, job.data.entryId, state, revision]
    const { rows } = await sql.executeSql(text, values)
    return rows.length === 1
  }
}

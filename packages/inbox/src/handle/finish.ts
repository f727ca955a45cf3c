import { isError } from '@feed-receiver/core/internal'
import { isInTxSql } from '@feed-receiver/database/internal'
import type { InboxContext } from '../context.ts'
import { codeOf, InboxError } from '../errors.ts'
import { wakeSql } from '../queue/notify.ts'
import type { SqlExecutor } from '../queue/queue.ts'
import { isInFailedTx } from '../sql-states.ts'
import type { ClaimedEntry } from './claim.ts'

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
  const finished = `with completed as (
      update ${schema}.${partition} set
        state = 'completed', completed_on = ${schema}.job_now(), output = null
      where name = '${name}' and id = $1 and state = 'active' and retry_count = $2
        and ${isInTxSql}
      returning id
    ) ${isOrdered ? woken : ''}, finished as (
      update ${tables.entry} set state = $4, handled_at = now(), is_reprocessed = false
      where id = $3 and state = 'received' and revision = $5 and exists (select from completed)
      returning ${isOrdered ? '(select count(*) from woken)' : '1'} as one
    )`
  const orNone = `${finished} select one from finished`
  // Nobody waits for its rows before the commit, so it must fail. No function of our own could raise
  // the error without further rights.
  const orError = `${finished} select cast(coalesce(
    (select one::text from finished),
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
export function explainFinish(cause: unknown, id: number): unknown {
  if (cause instanceof InboxError) return cause
  if (isInFailedTx(cause)) return caughtFailure(cause)
  if (!isError(cause) || codeOf(cause) !== notANumber) return cause
  if (cause.message.includes(transactionLeftMark)) return transactionLeft()
  return cause.message.includes(claimLostMark) ? claimLost(id) : cause
}

const notANumber = '22P02'

/** The error of a handler, or what it did to its transaction before. */
export async function explainTx(sql: SqlExecutor, cause: unknown): Promise<unknown> {
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

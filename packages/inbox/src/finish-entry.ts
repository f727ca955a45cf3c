import type { Tx } from '@feed-receiver/database'
import type { ClaimedJob, Queue } from './queue.ts'
import { settleEntry } from './settle-entry.ts'

export interface FinishEntryOptions {
  table: string
  queue: Queue
}

/** How an entry ends that was handled. */
export type FinalState = 'done' | 'skipped'

/**
 * Ends an entry and its job in the transaction of the handler; false where another run has the job by
 * now, or has ended the entry before.
 */
export type FinishEntry = (tx: Tx, job: ClaimedJob, state: FinalState) => Promise<boolean>

/**
 * In one statement. It completes the job as pg-boss does, which a test compares column by column, and
 * only the attempt that was claimed.
 */
export function finishInOneStatement({ table, queue }: FinishEntryOptions): FinishEntry {
  const { name, schema, partition } = queue
  const text = `with completed as (
      update ${schema}.${partition} set
        state = 'completed', completed_on = ${schema}.job_now(), output = null
      where name = '${name}' and id = $1 and state = 'active' and retry_count = $2
      returning id
    )
    update ${table} set state = $4, handled_at = now()
    where id = $3 and state = 'received' and exists (select from completed)`
  return async (tx, job, state) => {
    const { rowCount } = await tx.query(text, [job.id, job.retryCount, job.data.entryId, state])
    return rowCount === 1
  }
}

/** The same in two, for a database that changes only one table in a statement. */
export function finishInTwoStatements({ table, queue }: FinishEntryOptions): FinishEntry {
  return async (tx, job, state) =>
    (await settleEntry(tx, table, job.data.entryId, state)) && (await queue.complete(job, tx))
}

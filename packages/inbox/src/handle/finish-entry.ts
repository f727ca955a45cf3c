import type { ClaimedJob, Place, SqlExecutor } from '../queue/queue.ts'
import { wakeSql } from '../queue/insert-jobs.ts'

/** How a run ends that succeeds. */
interface FinishedRun {
  job: ClaimedJob
  /** The revision that was handled; where there is a newer one, the run has been for nothing. */
  revision: number
  state: 'done' | 'skipped'
}

export type FinishEntry = ReturnType<typeof finishInOneStatement>

/**
 * Makes the function that ends an entry and its job in the transaction of the handler, in one
 * statement; false where another run has the job by now, or has ended the entry before. It completes
 * the job as pg-boss does, which a test compares column by column, and only the attempt that was
 * claimed.
 */
export function finishInOneStatement({ tables, queue }: Place) {
  const { name, schema, partition, isOrdered } = queue
  // The job behind it may run from now on, and nobody else would say so.
  const woken = `, woken as (${wakeSql(queue)} where exists (select from completed))`
  const text = `with completed as (
      update ${schema}.${partition} set
        state = 'completed', completed_on = ${schema}.job_now(), output = null
      where name = '${name}' and id = $1 and state = 'active' and retry_count = $2
      returning id
    ) ${isOrdered ? woken : ''}
    update ${tables.entry} set state = $4, handled_at = now()
    where id = $3 and state = 'received' and revision = $5 and exists (select from completed)
    returning ${isOrdered ? '(select count(*) from woken)' : '1'}`
  return async (sql: SqlExecutor, { job, revision, state }: FinishedRun): Promise<boolean> => {
    const values = [job.id, job.retryCount, job.data.entryId, state, revision]
    const { rows } = await sql.executeSql(text, values)
    return rows.length === 1
  }
}

import { isFailingSql, type Conditions } from '../entry/entry-filter.ts'
import { isBehindSql } from '../entry/sql.ts'
import { wakeSql } from '../queue/job.ts'
import type { InboxContext } from '../context.ts'
import { operationSql } from './operations.ts'
import { batchSize, changeInSlices, withCondition, type Reopening } from './requeue-entries.ts'

/** The entries among some that wait for a retry. */
export function failingAmong({ tables }: InboxContext, conditions: Conditions): Conditions {
  return withCondition(conditions, isFailingSql(tables))
}

/**
 * Makes the next attempt of failing entries due now, and returns their number. Their attempts
 * continue to count.
 */
export async function retryNow(
  context: InboxContext,
  failing: Conditions,
  options: Omit<Reopening, 'kind'>,
): Promise<number> {
  const write = (isBehind: boolean) => dueSql(context, failing, isBehind)
  return await changeInSlices(context, failing, { ...options, kind: 'retry' }, write)
}

// Locks only jobs, because a run locks its job before its entry. A job that a worker has claimed
// meanwhile is no longer in the state "retry".
function dueSql(
  { tables, queue }: InboxContext,
  { parts, values }: Conditions,
  isBehind: boolean,
): string {
  const { entry, job } = tables
  const first = values.length + 1
  const behind = isBehindSql(entry, 'received_at', '>', `$${first + 5}`)
  return `with chosen as materialized (
      select id as chosen_id, received_at as chosen_at from ${entry}
      where (${parts.join(' or ')}) ${isBehind ? `and ${behind}` : ''}
      order by received_at, id limit ${batchSize}
    ),
    locked as (
      select id as job_id, name as job_name, (data ->> 'entryId')::bigint as id from ${job}
      where state = 'retry' and (data ->> 'entryId')::bigint = any(array(select chosen_id from chosen))
      order by id for update
    ),
    due as (
      update ${job} job set start_after = ${queue.schema}.job_now() from locked
      where job.id = job_id and job.name = job_name and job.state = 'retry'
      returning locked.id
    ),
    stored as (select distinct id from due),
    woken as (${wakeSql(queue)} where exists (select from due)),
    ${operationSql({ tables }, first, 'exists (select from due)')}
    select (select count(*) from chosen) as chosen, (select count(*) from stored) as reopened,
      (select chosen_id from chosen order by chosen_at desc, chosen_id desc limit 1) as "end"
    where (select count(*) from woken) >= 0`
}

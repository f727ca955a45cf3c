import { orderKeySql } from '../entry/sql.ts'
import type { JobTable } from './queue.ts'

/** The columns of an entry that `insertJobsSql` needs in `stored`, beside its `id`. */
export const queuedColumnsSql = `type, ${orderKeySql} as "orderKey", received_at`

interface InsertOptions {
  /**
   * Whether `stored` also has `is_reprocessed`, which is false for a new entry.
   * @default false
   */
  hasReprocessed?: boolean
  /**
   * SQL for the turn of a job, over the columns of `stored`.
   * @default after all jobs that are queued, in the order of acceptance
   */
  createdOn?: string | undefined
}

/**
 * The statement that queues a job for each row of a CTE named `stored`, as part of the one that
 * stores them. The event type is the group of a job, by which types are paused and limited. A job
 * gets the values that pg-boss's own insert writes, including the settings of the queue; a test
 * compares the rows column by column. Fails if the queue is missing, because its name must not be
 * null.
 */
export function insertJobsSql(
  table: JobTable,
  { hasReprocessed = false, createdOn = createdOnSql(table) }: InsertOptions = {},
): string {
  const { name, schema, partition, isOrdered } = table
  const now = nowSql(table)
  return `insert into ${schema}.${partition} (
      id, name, priority, data, group_id, group_tier, created_on, start_after, keep_until, policy, dead_letter, expire_seconds,
      deletion_seconds, heartbeat_seconds, retry_limit, retry_delay, retry_backoff, retry_delay_max
      ${isOrdered ? ', singleton_key' : ''}
    )
    select gen_random_uuid(), queue.name, ${prioritySql(table, hasReprocessed)},
      ('{"entryId":' || stored.id::text || '}')::jsonb, stored.type, stored.type,
      ${createdOn}, ${now}, ${now} + queue.retention_seconds * interval '1 second',
      queue.policy, queue.dead_letter, queue.expire_seconds, queue.deletion_seconds,
      queue.heartbeat_seconds, queue.retry_limit, queue.retry_delay, queue.retry_backoff,
      queue.retry_delay_max
      ${isOrdered ? ', stored."orderKey"' : ''}
    from stored left join ${schema}.queue on queue.name = '${name}'
    returning id`
}

// An ordered queue sorts by the time of a job, which all jobs of one statement would share. Entry
// ids are not the order of acceptance: within one statement they follow the event ids.
function createdOnSql(table: JobTable): string {
  const now = nowSql(table)
  if (!table.isOrdered) return now
  return `${now} + row_number() over (order by stored.received_at, stored.id) * interval '1 microsecond'`
}

/** SQL for the time of the queue. */
export function nowSql({ schema }: Pick<JobTable, 'schema'>): string {
  return `${schema}.job_now()`
}

/** Lower than any priority of a type, so that no new event waits behind a large reprocessing. */
const reprocessPriority = -10_000

// The developer chooses the types, but quotes in them are doubled anyway.
function prioritySql({ priorities }: JobTable, hasReprocessed: boolean): string {
  const cases = Object.entries(priorities).map(
    ([type, priority]) => `when '${type.replaceAll("'", "''")}' then ${priority}`,
  )
  const byType = cases.length === 0 ? '0' : `case stored.type ${cases.join(' ')} else 0 end`
  return hasReprocessed
    ? `${byType} + case when stored.is_reprocessed then ${reprocessPriority} else 0 end`
    : byType
}

import type { JobsPlace } from './job.ts'

/**
 * A statement that queues a job for each row of `stored`, as part of the one that stores them. It
 * writes what pg-boss's own insert writes to its job table, settings of the queue included; a test
 * compares the rows column by column. Without the queue it fails, as its name may not be null.
 */
export function insertJobsSql({ name, schema, partition, isOrdered }: JobsPlace): string {
  return `insert into ${schema}.${partition} (
      name, data, created_on, start_after, keep_until, policy, dead_letter, expire_seconds,
      deletion_seconds, heartbeat_seconds, retry_limit, retry_delay, retry_backoff, retry_delay_max
      ${isOrdered ? ', singleton_key' : ''}
    )
    select queue.name, jsonb_build_object('entryId', stored.id),
      ${schema}.job_now() ${isOrdered ? inTurn : ''}, ${schema}.job_now(),
      ${schema}.job_now() + queue.retention_seconds * interval '1 second',
      queue.policy, queue.dead_letter, queue.expire_seconds, queue.deletion_seconds,
      queue.heartbeat_seconds, queue.retry_limit, queue.retry_delay, queue.retry_backoff,
      queue.retry_delay_max
      ${isOrdered ? ', stored."orderKey"' : ''}
    from stored left join ${schema}.queue on queue.name = '${name}'
    returning id`
}

// An ordered queue goes by the time of a job, which all of one statement would share.
const inTurn = `+ row_number() over (order by stored.received_at) * interval '1 microsecond'`

/** Wakes the workers of the queue in every process, once the transaction commits: they listen there. */
export function wakeSql({ name, schema }: Pick<JobsPlace, 'name' | 'schema'>): string {
  return `select pg_notify('${schema}', '${name}')`
}

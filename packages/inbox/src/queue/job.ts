import type { LastStatement } from '@feed-receiver/database'

/** The tables of one inbox's jobs. */
export interface JobTable {
  name: string
  schema: string
  /** The partition of the job table that contains them. */
  partition: string
  /** Whether jobs of one order key run one after the other. */
  isOrdered: boolean
  /** By event type; other types have 0. */
  priorities: Readonly<Record<string, number>>
}

/**
 * The queue of a feed. An ordered one has another name, because a queue cannot change its order: an
 * inbox that becomes ordered, or no longer is, moves its jobs from the other queue.
 */
export function queueName(source: string, isOrdered: boolean): string {
  return isOrdered ? `${source}_ordered` : source
}

/** The queue that the inbox had if `ordered` has changed. */
export function otherQueueName(name: string, isOrdered: boolean): string {
  return isOrdered ? name.replace(/_ordered$/, '') : queueName(name, true)
}

/**
 * The members of a pg-boss job that a run needs. The types of pg-boss must not reach our users'
 * compilers.
 */
export interface ClaimedJob {
  id: string
  /** The entry to handle. Its row has everything else. */
  data: { entryId: number }
  /** The type of its event. */
  groupId?: string | null
  /** 0 for the first run. Together with the id it identifies this claim of the job. */
  retryCount: number
  retryLimit: number
  /** How long it counts as alive after a heartbeat. */
  heartbeatSeconds: number | null
}

/**
 * Runs SQL with `$1…` parameters; pg-boss makes one from a transaction of Drizzle, Kysely, Knex …
 */
export interface SqlExecutor {
  /** Whether a statement has run through it, if it can tell. */
  readonly isBegun?: boolean
  /** Resolves to one object for each row that the statement returns, also for an UPDATE. */
  executeSql(text: string, values?: readonly unknown[]): Promise<{ rows: unknown[] }>
  /**
   * Sets a statement that runs right before the commit. An error of it rolls the transaction back.
   * Transactions of the app have no such way.
   */
  endWith?(statement: LastStatement): void
}

/**
 * The statement that queues a job for each row of `stored`, as part of the one that stores them.
 * The event type is the group of a job, by which types are paused and limited. `isReprocessed` is
 * SQL that says whether a row is reprocessed. A job gets the values that pg-boss's own insert
 * writes, including the settings of the queue. `createdOn` is SQL for its turn. A test compares the
 * rows column by column. Fails if the queue is missing, because its name must not be null.
 */
export function insertJobsSql(
  table: JobTable,
  isReprocessed = 'false',
  createdOn = createdOnSql(table),
): string {
  const { name, schema, partition, isOrdered } = table
  const now = nowSql(table)
  return `insert into ${schema}.${partition} (
      id, name, priority, data, group_id, group_tier, created_on, start_after, keep_until, policy, dead_letter, expire_seconds,
      deletion_seconds, heartbeat_seconds, retry_limit, retry_delay, retry_backoff, retry_delay_max
      ${isOrdered ? ', singleton_key' : ''}
    )
    select gen_random_uuid(), queue.name, ${prioritySql(table, isReprocessed)},
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
function prioritySql({ priorities }: JobTable, isReprocessed: string): string {
  const cases = Object.entries(priorities).map(
    ([type, priority]) => `when '${type.replaceAll("'", "''")}' then ${priority}`,
  )
  const byType = cases.length === 0 ? '0' : `case stored.type ${cases.join(' ')} else 0 end`
  return isReprocessed === 'false'
    ? byType
    : `${byType} + case when ${isReprocessed} then ${reprocessPriority} else 0 end`
}

/** Notifies the workers of the queue that the pauses have changed, once the transaction commits. */
export function notifyPausesSql({ name, schema }: Pick<JobTable, 'name' | 'schema'>): string {
  return `select pg_notify('${schema}', '${pausesOf(name)}')::text`
}

/** A payload that cannot be the name of a queue, because no name contains a colon. */
export function pausesOf(name: string): string {
  return `pauses:${name}`
}

/**
 * Wakes the workers of the queue in every process, once the transaction commits: they listen for
 * it. As text, because Citus accepts no column without a type.
 */
export function wakeSql({ name, schema }: Pick<JobTable, 'name' | 'schema'>): string {
  return `select pg_notify('${schema}', '${name}')::text`
}

/**
 * Creates indexes to find jobs by their entry, and to count failing ones. pg-boss
 * itself needs none. Run it on a separate connection, because on a large table it takes longer than
 * our statement timeout.
 */
export async function indexJobs(
  boss: Pick<SqlExecutor, 'executeSql'>,
  queueSchema: string,
): Promise<void> {
  const isMissing = `select 1 where to_regclass('${queueSchema}.job_failing') is null`
  if ((await boss.executeSql(isMissing)).rows.length === 0) return
  // "if not exists" alone is not atomic. A process that waits here then finds the indexes.
  const lock = `select version from ${queueSchema}.version for update`
  await boss.executeSql(['begin', lock, ...jobIndexes(queueSchema), 'commit'].join(';'))
}

/** The statements that create the indexes. Each may run again. */
export function jobIndexes(queueSchema: string): string[] {
  const job = `${queueSchema}.job`
  return [
    `create index if not exists job_by_entry on ${job} ((data ->> 'entryId'))`,
    `create index if not exists job_failing on ${job} (((data ->> 'entryId')::bigint))
       where state = 'retry'`,
  ]
}

import { setTimeout as delay } from 'node:timers/promises'
import { boundedCount, countSql, countUpTo, isoTime, type BoundedCount } from '../entry/sql.ts'
import type { Tables } from '../entry/tables.ts'
import { queueNamesSql } from '../queue-names.ts'
import type { InboxContext } from '../context.ts'
import type { PauseRow } from '../admin/pauses.ts'

export interface Backlog {
  /** Entries that wait for a first or for another attempt, counted up to 1,000. */
  waiting: BoundedCount
  /** Of these, jobs that are due and paused. */
  paused: BoundedCount
  /** Of these, jobs that are due later, mostly because they failed and wait for a retry. */
  later: BoundedCount
  /** Jobs in progress, counted up to 1,000. */
  running: BoundedCount
  /**
   * The age of the oldest pending entry since its event first arrived, also while it waits for a
   * retry, and after a release; null if none is pending. Reprocessed ones are not counted. The search
   * stops after 10,000 of them.
   */
  oldestAgeSeconds: number | null
}

/** The jobs of an inbox. */
export interface JobCounts {
  counts: Omit<Backlog, 'oldestAgeSeconds'>
  /** Running jobs whose worker is gone, and that the queue should have retried. */
  abandoned: number
  /** Whether entries have been due for a minute, and no worker runs any. */
  isIgnored: boolean
  /** Some of the handlers that have run for more than a minute, slowest first. */
  slow: readonly { eventId: string; type: string; since: string }[]
  /** Whether all running handlers are slow while entries are due. */
  isHung: boolean
}

/** What one statement reads of the queue. */
interface JobsRow extends Record<'paused' | 'later' | 'running' | 'abandoned' | 'slow', number> {
  /** Entries that wait or run. The jobs of one queue are not enough, because `ordered` may change. */
  pending: number
  /** False, without reading the entries, if a handler began within the last minute. */
  isDue: boolean
}

/** Between two claims, a busy worker may have no job for a moment. */
const reads = { count: 4, apartMs: 250 }

/** Reads only whether the table of jobs can be read, because the counts also read the entries. */
export async function touchJobs({ database, tables }: InboxContext): Promise<undefined> {
  await database.query(`select from ${tables.job} limit 0`, [], { isUrgent: true })
}

/** Counts the jobs of an inbox, up to 1,000, and checks whether no worker claims any. */
export async function countJobs(
  context: InboxContext,
  pauses: readonly PauseRow[],
): Promise<JobCounts> {
  let row = await readJobs(context, pauses)
  for (let read = 1; read < reads.count && isIgnored(row); read += 1) {
    await delay(reads.apartMs)
    row = await readJobs(context, pauses)
  }
  const { pending, paused, later, running, abandoned, slow, isDue } = row
  const { count, isExact } = boundedCount(pending)
  return {
    counts: {
      waiting: { count: isExact ? Math.max(0, count - running) : count, isExact },
      paused: boundedCount(paused),
      later: boundedCount(later),
      running: boundedCount(running),
    },
    abandoned,
    isIgnored: isIgnored(row),
    slow: slow === 0 ? [] : await listSlow(context),
    isHung: isDue && slow > 0,
  }
}

function isIgnored({ isDue, running, abandoned }: JobsRow): boolean {
  return isDue && running === abandoned
}

/** How many slow handlers a message names. */
const maxNamed = 4

/** Every job has a group, and so uses an index of pg-boss. */
const isRunning = `state = 'active' and group_id is not null`

async function listSlow(context: InboxContext): Promise<JobCounts['slow']> {
  const { database, tables, source } = context
  const { rows } = await database.query<JobCounts['slow'][number]>(
    `select event_id as "eventId", type, ${isoTime('started_on')} as since
     from (
       select started_on, (data ->> 'entryId')::bigint as entry_id from ${tables.job}
       where name in (${queueNamesSql('$1')}) and ${isRunning} and started_on < now() - interval '60 seconds'
       order by started_on limit ${maxNamed}
     ) slow join ${tables.entry} entry on entry.id = entry_id
     order by started_on`,
    [source],
  )
  return rows
}

async function readJobs(context: InboxContext, pauses: readonly PauseRow[]): Promise<JobsRow> {
  const { database, tables, source, queue } = context
  const table = tables.job
  const isWhole = pauses.some(({ type }) => type === null)
  const types = pauses.flatMap(({ type }) => type ?? [])
  const isHeld = isHeldSql(table, queue.isOrdered, '$2::text[]')
  const isPaused = isWhole ? 'true' : types.length === 0 ? 'false' : isHeld
  // Every statement has the types as a parameter, whether or not it uses them.
  const waiting = `select 1 from ${table} job where name = $1 and state < 'active' and not blocked`
  const { rows } = await database.query<JobsRow>(
    `select ${countSql(`select 1 from ${tables.entry} where source = $3 and state = 'received'`)}
         as pending,
       ${countSql(`${waiting} and start_after <= now() and ${isPaused}`)} as paused,
       ${countSql(`${waiting} and start_after > now()`)} as later,
       running, abandoned, slow,
       abandoned + slow = running and (exists (
         ${waiting} and start_after < now() - interval '60 seconds' and not ${isPaused}
           and ${queue.isOrdered ? isFirstSql(table) : 'true'}
       ) or ${isWhole ? 'false' : isLostSql(tables)}) as "isDue"
     from (
       select count(*) as running, count(*) filter (where "isSilent") as abandoned,
         count(*) filter (where "isSlow" and not "isSilent") as slow
       from (
         select coalesce(
             heartbeat_on + heartbeat_seconds * interval '1 second' < now() - interval '60 seconds',
             false
           ) as "isSilent", started_on < now() - interval '60 seconds' as "isSlow"
         from ${table} where name in (${queueNamesSql('$3')}) and ${isRunning}
         limit ${countUpTo + 1}
       ) active
     ) counted
     where $2::text[] is not null`,
    [queue.name, types, source],
  )
  const none = { pending: 0, paused: 0, later: 0, running: 0, abandoned: 0, slow: 0, isDue: false }
  return rows[0] ?? none
}

/**
 * Whether an entry has no job in this queue, so that no worker will claim it: its job is lost, or is
 * in the other queue after `ordered` has changed. Reads the oldest entries.
 */
function isLostSql({ entry, job }: Tables): string {
  return `exists (
    select from (
      select id from ${entry}
      where source = $3 and state = 'received' and not type = any($2::text[])
        and received_at < now() - interval '60 seconds'
      order by received_at, id limit 500
    ) oldest
    where not exists (
      select from (
        select name, state from ${job} where data ->> 'entryId' = oldest.id::text offset 0
      ) its where its.name = $1 and its.state < 'completed'
    ))`
}

/**
 * Whether a `job` has a paused type, or waits behind one that has, in an ordered queue. `types` is SQL
 * for the paused types, as an array.
 */
export function isHeldSql(table: string, isOrdered: boolean, types: string): string {
  const isBehind = `exists (
    select 1 from ${table} other where other.name = job.name
      and other.singleton_key = job.singleton_key and other.policy = 'key_strict_fifo'
      and other.state < 'active' and not other.blocked and other.group_id = any(${types})
      and (other.state > job.state
        or (other.state = job.state
          and (other.created_on, other.id) < (job.created_on, job.id))))`
  const isOfType = `coalesce(job.group_id = any(${types}), false)`
  return isOrdered ? `(${isOfType} or ${isBehind})` : isOfType
}

/**
 * In an ordered queue, a due job may wait for one of its key that runs, failed or will be retried.
 */
export function isFirstSql(table: string): string {
  return `not exists (
    select 1 from ${table} other where other.name = job.name and other.id <> job.id
      and other.singleton_key = job.singleton_key and other.policy = 'key_strict_fifo'
      and other.state in ('active', 'retry', 'failed'))`
}

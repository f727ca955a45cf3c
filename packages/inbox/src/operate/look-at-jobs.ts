import { setTimeout as delay } from 'node:timers/promises'
import { boundedCount, countSql, countUpTo } from '../entry/sql.ts'
import type { Place } from '../queue/queue.ts'
import type { PauseRow } from './pauses.ts'

interface JobsRow {
  waiting: number
  paused: number
  later: number
  running: number
  /** Running jobs whose worker is gone, and that the queue should have retried. */
  abandoned: number
  /** Whether jobs have been due for a minute, and no worker runs any. */
  isIgnored: boolean
}

/** Between two claims, a busy worker may have no job for a moment. */
const looks = { count: 4, apartMs: 250 }

/** Counts the jobs of an inbox, up to 1,000, and checks whether no worker claims any. */
export async function lookAtJobs(place: Place, pauses: readonly PauseRow[]) {
  let row = await readJobs(place, pauses)
  for (let look = 1; look < looks.count && row.isIgnored; look += 1) {
    await delay(looks.apartMs)
    row = await readJobs(place, pauses)
  }
  const { waiting, paused, later, running, ...seen } = row
  return {
    waiting: boundedCount(waiting),
    paused: boundedCount(paused),
    later: boundedCount(later),
    running: boundedCount(running),
    ...seen,
  }
}

async function readJobs(
  { database, tables, queue }: Place,
  pauses: readonly PauseRow[],
): Promise<JobsRow> {
  const table = tables.job
  const isWhole = pauses.some(({ type }) => type === null)
  const types = pauses.flatMap(({ type }) => type ?? [])
  const isPaused = isWhole ? 'true' : types.length === 0 ? 'false' : isHeld(table, queue.isOrdered)
  // Every statement has the types as a parameter, whether or not it uses them.
  const waiting = `select 1 from ${table} job where name = $1 and state < 'active' and not blocked`
  const { rows } = await database.query<JobsRow>(
    `select ${countSql(waiting)} as waiting,
       ${countSql(`${waiting} and start_after <= now() and ${isPaused}`)} as paused,
       ${countSql(`${waiting} and start_after > now()`)} as later,
       running, abandoned,
       abandoned = running and exists (
         ${waiting} and start_after < now() - interval '60 seconds' and not ${isPaused}
           and ${queue.isOrdered ? isFirst(table) : 'true'}
       ) as "isIgnored"
     from (
       select count(*) as running, count(*) filter (where "isSilent") as abandoned
       from (
         select coalesce(
             heartbeat_on + heartbeat_seconds * interval '1 second' < now() - interval '60 seconds',
             false
           ) as "isSilent"
         from ${table} where name = $1 and state = 'active' limit ${countUpTo + 1}
       ) active
     ) counted
     where $2::text[] is not null`,
    [queue.name, types],
  )
  return rows[0] ?? { waiting: 0, paused: 0, later: 0, running: 0, abandoned: 0, isIgnored: false }
}

/** Whether a job has a paused type, or waits behind one that has, in an ordered queue. */
function isHeld(table: string, isOrdered: boolean): string {
  const isBehind = `exists (
    select 1 from ${table} other where other.name = job.name
      and other.singleton_key = job.singleton_key and other.policy = 'key_strict_fifo'
      and other.state < 'active' and not other.blocked and other.group_id = any($2::text[])
      and (other.state > job.state
        or (other.state = job.state
          and (other.created_on, other.id) < (job.created_on, job.id))))`
  const isOfType = 'coalesce(job.group_id = any($2::text[]), false)'
  return isOrdered ? `(${isOfType} or ${isBehind})` : isOfType
}

/**
 * In an ordered queue, a due job may wait for one of its key that runs, failed or will be retried.
 */
export function isFirst(table: string): string {
  return `not exists (
    select 1 from ${table} other where other.name = job.name and other.id <> job.id
      and other.singleton_key = job.singleton_key and other.policy = 'key_strict_fifo'
      and other.state in ('active', 'retry', 'failed'))`
}

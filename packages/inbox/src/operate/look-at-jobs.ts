import { setTimeout as delay } from 'node:timers/promises'
import { boundedCount, countSql, countUpTo } from '../entry/sql.ts'
import type { Place } from '../queue/queue.ts'

interface JobsRow {
  waiting: number
  running: number
  /** Those whose worker is gone, and that should have been taken from it. */
  abandoned: number
  /** Whether jobs have been due for long, and nobody runs any. */
  isIgnored: boolean
}

/** Between one claim and the next, a busy worker may have no job for a moment. */
const looks = { count: 4, apartMs: 250 }

/** Counts the jobs of an inbox, up to 1,000, and sees whether no worker claims any. */
export async function lookAtJobs(place: Place) {
  let row = await readJobs(place)
  for (let look = 1; look < looks.count && row.isIgnored; look += 1) {
    await delay(looks.apartMs)
    row = await readJobs(place)
  }
  return { ...row, waiting: boundedCount(row.waiting), running: boundedCount(row.running) }
}

async function readJobs({ database, tables, queue }: Place): Promise<JobsRow> {
  const table = tables.job
  const waiting = `select 1 from ${table} where name = $1 and state < 'active' and not blocked`
  const { rows } = await database.query<JobsRow>(
    `select ${countSql(waiting)} as waiting,
       running, abandoned,
       abandoned = running and exists (
         select 1 from ${table} job where name = $1 and state < 'active' and not blocked
           and start_after < now() - interval '60 seconds' and ${queue.isOrdered ? isFirst(table) : 'true'}
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
     ) counted`,
    [queue.name],
  )
  return rows[0] ?? { waiting: 0, running: 0, abandoned: 0, isIgnored: false }
}

/** In an ordered queue a job may be due and wait for one of its key that is to be tried again. */
function isFirst(table: string): string {
  return `not exists (
    select 1 from ${table} other where other.name = job.name and other.id <> job.id
      and other.singleton_key = job.singleton_key and other.policy = 'key_strict_fifo'
      and other.state in ('active', 'retry', 'failed'))`
}

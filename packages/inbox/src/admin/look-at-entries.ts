import { boundedCount, countSql } from '../entry/sql.ts'
import type { InboxContext } from '../context.ts'
import { clockProblems } from './health-problems.ts'

/** How many received entries the search for the oldest one that is no replay reads. */
const mostLookedAt = 10_000

/** Counts the entries for the health, and reads the clock and the mode of the database. */
export async function lookAtEntries({ database, tables: { entry }, source }: InboxContext) {
  const sent = Date.now()
  const { rows } = await database.query<
    Record<'dead' | 'now', number> & { oldestAgeSeconds: number | null; isReadOnly: boolean }
  >(
    `select
       ${countSql(`select 1 from ${entry} where source = $1 and state = 'dead'`)} as dead,
       (select extract(epoch from now() - min(received_at))::float8 from (
          select received_at, is_replay from ${entry}
          where source = $1 and state = 'received' order by received_at, id limit ${mostLookedAt}
        ) oldest where not is_replay) as "oldestAgeSeconds",
       current_setting('transaction_read_only') = 'on' as "isReadOnly",
       (extract(epoch from clock_timestamp()) * 1000)::float8 as now`,
    [source],
  )
  const { dead = 0, oldestAgeSeconds = null, now = sent, isReadOnly = false } = rows[0] ?? {}
  return {
    clock: clockProblems(now, sent, Date.now()),
    dead: boundedCount(dead),
    isReadOnly,
    // Our clock may be ahead of the server's.
    oldestAgeSeconds: oldestAgeSeconds === null ? null : Math.max(0, oldestAgeSeconds),
  }
}

export async function countQuarantined({ database, tables: { quarantine }, source }: InboxContext) {
  const open = `select 1 from ${quarantine} where source = $1 and state = 'open'`
  const { rows } = await database.query<{ count: number }>(`select ${countSql(open)} as count`, [
    source,
  ])
  return boundedCount(rows[0]?.count)
}

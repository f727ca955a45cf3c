import type { InboxContext } from '../context.ts'
import { isFailingSql } from '../entry/entry-filter.ts'
import { errorSql, latestJobSql, maxErrorRead, messageSql } from '../entry/error-sql.ts'
import { boundedCount, countUpTo, newestFirstSql, type BoundedCount } from '../entry/sql.ts'
import { toLine } from './listed-job.ts'

/** Dead and failing entries with the same last error. */
export interface EntryError {
  /** The name of the error, for a filter of entries. */
  error: string
  /**
   * The latest message: one line, without passwords. Messages that differ only in words with digits
   * are one error. Empty if the queue has deleted the jobs.
   */
  message: string
  dead: BoundedCount
  /** Entries that wait for a retry. */
  failing: BoundedCount
  /** The types of the entries, in order: up to 10. */
  types: string[]
}

/** More errors than anybody reads. */
const maxErrors = 50
const maxTypes = 10

/**
 * The errors of dead and failing entries, the most frequent first. Counts the newest 1,000 of each
 * state.
 */
export async function listErrors({
  database,
  tables,
  source,
}: InboxContext): Promise<EntryError[]> {
  const newest = (state: string, condition: string) => `(
    select id, type, '${state}' as state from ${tables.entry}
    where source = $1 and ${condition} ${newestFirstSql} limit ${countUpTo + 1}
  )`
  const { rows } = await database.query<
    Omit<EntryError, 'dead' | 'failing'> & Record<'dead' | 'failing', number>
  >(
    `with failed as materialized (
       ${newest('dead', `state = 'dead'`)} union all ${newest('failing', isFailingSql(tables))}
     )
     select ${errorSql('output')} as error,
       coalesce((array_agg(
         left(${messageSql('output')}, ${maxErrorRead}) order by started_on desc nulls last
       ))[1], '') as message,
       count(*) filter (where failed.state = 'dead') as dead,
       count(*) filter (where failed.state = 'failing') as failing,
       (array_agg(distinct type))[1:${maxTypes}] as types
     from failed left join lateral ${latestJobSql(tables, 'failed.id')} job on true
     group by 1 order by count(*) desc, 1 limit ${maxErrors}`,
    [source],
  )
  return rows.map(({ error, message, dead, failing, types }) => ({
    error,
    message: toLine(message),
    dead: boundedCount(dead),
    failing: boundedCount(failing),
    types,
  }))
}

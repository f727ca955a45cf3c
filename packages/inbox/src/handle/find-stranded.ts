import type { Queryable } from '@feed-receiver/database'
import type { Queue } from '../queue/queue.ts'

export interface StrandedPlace {
  table: string
  source: string
  queue: Pick<Queue, 'name' | 'schema'>
  /** How many received entries to look at. */
  sliceSize: number
}

export interface StrandedSlice {
  /** Entries that no job will bring to a handler. */
  stranded: number[]
  /** Where the slice ended; undefined where nothing is behind it. */
  end: number | undefined
}

/** Looks through received entries, the oldest first or those behind another one, for lost jobs. */
export async function findStranded(
  db: Queryable,
  { table, source, queue, sliceSize }: StrandedPlace,
  behind?: number,
): Promise<StrandedSlice> {
  // Two plain values, since a row from a subquery would not be looked up in an index.
  const isBehind = `(received_at, id) >
    ((select received_at from ${table} where id = $2::bigint), $2::bigint)`
  const { rows } = await db.query<{ id: number; isStranded: boolean }>(
    `select id, ${hasNoJobSql(queue)} as "isStranded"
     from ${table} entry
     where source = $1 and state = 'received' and received_at < now() - interval '1 minute'
       and ${behind === undefined ? 'true' : isBehind}
     order by received_at, id
     limit ${sliceSize}`,
    behind === undefined ? [source] : [source, behind],
  )
  const stranded = rows.filter(({ isStranded }) => isStranded).map(({ id }) => id)
  return { stranded, end: rows.length < sliceSize ? undefined : rows.at(-1)?.id }
}

/** Whether no job will bring `entry` to a handler. */
export function hasNoJobSql({ name, schema }: StrandedPlace['queue']): string {
  return `(${jobSql(schema, name)} and job.state < 'completed' limit 1) is null`
}

/** Whether the job of `entry` is among the dead letters. */
export function isBuriedSql({ deadLetter, schema }: Pick<Queue, 'deadLetter' | 'schema'>): string {
  return `(${jobSql(schema, deadLetter)} limit 1) is not null`
}

// Its id and not "exists", which may be answered by reading all the jobs there are. And "offset 0",
// since without statistics the name counts as being as rare as the entry, and is looked up as well.
function jobSql(schema: string, name: string): string {
  return `select job.id from (
      select id, name, state from ${schema}.job
      where data ->> 'entryId' = entry.id::text offset 0
    ) as job
    where job.name = '${name}'`
}

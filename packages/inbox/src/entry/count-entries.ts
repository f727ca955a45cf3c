import type { Queryable } from '@feed-receiver/database'
import { entryConditions, type Conditions, type EntryFilter } from './entry-filter.ts'

/** A count that stops counting somewhere. */
export interface BoundedCount {
  count: number
  /** False where there are more than were counted. */
  isExact: boolean
}

/** Counts the entries of a filter, but no further than `upTo`. */
export async function countEntries(
  db: Queryable,
  table: string,
  source: string,
  filter: EntryFilter,
  upTo: number,
): Promise<BoundedCount> {
  return await countUpTo(db, table, entryConditions(source, filter), upTo)
}

/** Counts what meets conditions, but no further than `upTo`. */
export async function countUpTo(
  db: Queryable,
  table: string,
  { parts, values }: Conditions,
  upTo: number,
): Promise<BoundedCount> {
  const ofParts = parts.map((part) => `select 1 from ${table} where ${part}`).join(' union all ')
  const { rows } = await db.query<{ count: number }>(
    `select count(*) as count
     from (${ofParts} limit $${values.length + 1}) counted`,
    [...values, upTo + 1],
  )
  return boundedCount(rows[0]?.count ?? 0, upTo)
}

/** Makes the count of a query that looked for one row more than it may tell. */
export function boundedCount(count: number, upTo: number): BoundedCount {
  return { count: Math.min(count, upTo), isExact: count <= upTo }
}

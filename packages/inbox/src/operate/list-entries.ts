import { entryConditions } from '../entry/entry-filter.ts'
import type { Conditions, EntryFilter, EntryState } from '../entry/entry-filter.ts'
import { checkPageSize, readPage, type PageOf, type PageOptions } from '../entry/page.ts'
import { boundedCount, isBehindSql, isoTime, newestFirstSql } from '../entry/sql.ts'
import type { BoundedCount } from '../entry/sql.ts'
import type { Place } from '../queue/queue.ts'

export interface ListEntriesOptions extends EntryFilter, PageOptions {}

export interface CountOptions {
  /**
   * Where to stop counting.
   * @default 100_000
   */
  upTo?: number
}

/** An entry as a list shows it; times are ISO 8601 in UTC. */
export interface EntryRow {
  id: number
  eventId: string
  state: EntryState
  type: string
  provider: string
  category: string
  subjectType: string | null
  subjectKey: string | null
  title: string
  confirmation: string
  notes: string[]
  /** When the service first observed the event. */
  createdAt: string
  receivedAt: string
  handledAt: string | null
  pushCount: number
}

export interface EntryPage extends PageOf<'entries', EntryRow> {}

/** The columns of a list, under the names of its rows. */
export const entryRowColumns = `
  id, event_id as "eventId", state, type, provider, category, subject_type as "subjectType",
  subject_key as "subjectKey", title, confirmation, notes, ${isoTime('created_at')} as "createdAt",
  ${isoTime('received_at')} as "receivedAt", ${isoTime('handled_at')} as "handledAt",
  push_count as "pushCount"`

/** One page of entries, newest first. Entries that come meanwhile never shift the pages behind. */
export async function listEntries(
  { database, tables, source }: Place,
  options: ListEntriesOptions = {},
): Promise<EntryPage> {
  const { after, limit = 50, ...filter } = options
  checkPageSize(limit)
  const { parts, values } = entryConditions(source, filter)
  const cursor = after === undefined ? [] : [after]
  const isBehind = cursor.map(() =>
    isBehindSql(tables.entry, 'received_at', '<', `$${values.length + 1}`),
  )
  const ofParts = parts.map(
    (part) => `(
       select * from ${tables.entry}
       where ${[part, ...isBehind].join(' and ')} ${newestFirstSql} limit ${limit + 1}
     )`,
  )
  const { rows: entries, next } = await readPage<EntryRow>(
    database,
    limit,
    `select ${entryRowColumns} from (${ofParts.join(' union all ')}) entry ${newestFirstSql}`,
    [...values, ...cursor],
  )
  return { entries, next }
}

export async function countEntries(
  place: Place,
  filter: EntryFilter = {},
  options: CountOptions = {},
): Promise<BoundedCount> {
  const { upTo = 100_000 } = options
  return await countMatching(place, entryConditions(place.source, filter), upTo)
}

/** Counts the entries that meet conditions. */
export async function countMatching(
  { database, tables }: Place,
  { parts, values }: Conditions,
  upTo: number,
): Promise<BoundedCount> {
  const ofParts = parts.map((part) => `select 1 from ${tables.entry} where ${part}`)
  const { rows } = await database.query<{ count: number }>(
    `select count(*) as count
     from (${ofParts.join(' union all ')} limit $${values.length + 1}) counted`,
    [...values, upTo + 1],
  )
  return boundedCount(rows[0]?.count, upTo)
}

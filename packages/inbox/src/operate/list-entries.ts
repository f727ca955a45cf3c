import type { Queryable } from '@feed-receiver/database'
import { entryConditions, type EntryFilter, type EntryState } from '../entry/entry-filter.ts'
import { isoTime } from '../entry/iso-time.ts'
import { checkPageSize } from '../entry/page-size.ts'

export interface ListEntriesOptions extends EntryFilter {
  /** Where the page before ended: its `next`. */
  after?: number | undefined
  /**
   * How many entries a page may have, up to 500.
   * @default 50
   */
  limit?: number
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

export interface EntryPage {
  entries: EntryRow[]
  /** For `after`, to get the page that follows; null at the end. */
  next: number | null
}

/** The columns of a list, under the names of its rows. */
export const entryRowColumns = `
  id, event_id as "eventId", state, type, provider, category, subject_type as "subjectType",
  subject_key as "subjectKey", title, confirmation, notes, ${isoTime('created_at')} as "createdAt",
  ${isoTime('received_at')} as "receivedAt", ${isoTime('handled_at')} as "handledAt",
  push_count as "pushCount"`

/** One page of entries, newest first. Entries that come meanwhile never shift the pages behind. */
export async function listEntries(
  db: Queryable,
  table: string,
  source: string,
  { after, limit = 50, ...filter }: ListEntriesOptions = {},
): Promise<EntryPage> {
  checkPageSize(limit)
  const { parts, values } = entryConditions(source, filter)
  const cursor = after === undefined ? [] : [after]
  const place = `$${values.length + 1}`
  // Two plain values, since a row from a subquery would not be looked up in an index.
  const isBehind =
    cursor.length === 0
      ? 'true'
      : `(received_at, id) <
         ((select received_at from ${table} where id = ${place}::bigint), ${place}::bigint)`
  const newestFirst = 'order by received_at desc, id desc'
  // One more than asked for says whether another page follows.
  const ofParts = parts.map(
    (part) => `(
       select * from ${table} where ${part} and ${isBehind} ${newestFirst} limit ${limit + 1}
     )`,
  )
  const { rows } = await db.query<EntryRow>(
    `select ${entryRowColumns}
     from (${ofParts.join(' union all ')}) entry
     ${newestFirst}
     limit ${limit + 1}`,
    [...values, ...cursor],
  )
  const entries = rows.slice(0, limit)
  return { entries, next: rows.length > limit ? (entries.at(-1)?.id ?? null) : null }
}

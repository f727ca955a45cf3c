import type { Change } from '../entry/change.ts'
import type { EntryContent } from '../entry/read-entry.ts'
import type { Place } from '../queue/place.ts'

/** What a worker needs of an entry. */
export interface EntryToHandle extends EntryContent {
  id: number
  state: 'received' | 'done' | 'skipped' | 'dead'
  eventId: string
  /** How often its content has changed, from 1. */
  revision: number
  via: 'push' | 'pull'
  change: Change
  receivedAt: Date
  /** The trace in which it was accepted. */
  traceparent: string | null
}

/** Entries by their keys; those that are not there are missing. */
export async function findEntries(
  { database, tables }: Place,
  ids: readonly number[],
): Promise<Map<number, EntryToHandle>> {
  const { rows } = await database.query<EntryToHandle>(
    `select id, state, event_id as "eventId", body, pull, revision, via, change,
       received_at as "receivedAt", headers ->> 'traceparent' as traceparent
     from ${tables.entry} where id = any($1::bigint[])`,
    [ids],
  )
  return new Map(rows.map((row) => [row.id, row]))
}

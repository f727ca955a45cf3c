import type { FeedEvent } from '@feed-receiver/core'
import { isoTime } from '../entry/sql.ts'
import type { Change } from '../entry/change.ts'
import { readEntry } from '../entry/read-entry.ts'
import type { Place } from '../queue/queue.ts'

/** What an entry said before it was revised. */
export interface EntryRevision {
  revision: number
  via: 'push' | 'pull'
  /** What it was to the handler. */
  change: Change
  /** Null where its content is not kept any more. */
  event: FeedEvent | null
  /** When pull saw what came in its place; ISO 8601 in UTC. */
  replacedAt: string
}

/** Who corrects an event more often says less with each. */
const maxRevisions = 20

/** The earlier content of an entry, the oldest first, and of very many the latest. */
export async function listRevisions(
  { database, tables }: Place,
  entryId: number,
  body: Uint8Array | null,
): Promise<EntryRevision[]> {
  const { rows } = await database.query<Omit<EntryRevision, 'event'> & { pull: FeedEvent | null }>(
    `select revision, via, change, pull, ${isoTime('replaced_at')} as "replacedAt"
     from ${tables.entryRevision} where entry_id = $1
     order by revision desc limit ${maxRevisions}`,
    [entryId],
  )
  return rows.toReversed().map(({ pull, ...revision }) => ({
    ...revision,
    event: pull ?? readEntry({ body, pull: null }),
  }))
}

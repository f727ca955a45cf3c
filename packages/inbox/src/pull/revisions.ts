import type { FeedEvent } from '@feed-receiver/core'
import type { Tx } from '@feed-receiver/database'
import { isoTime } from '../entry/row-texts.ts'
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

/** Keeps what entries say, for they are about to be revised. */
export async function keepRevisions(
  tx: Tx,
  { tables, source }: Place,
  eventIds: readonly string[],
  at: Date,
): Promise<void> {
  if (eventIds.length === 0) return
  await tx.query(
    `insert into ${tables.entryRevision} (entry_id, revision, via, change, pull, replaced_at)
     select id, revision, via, change, pull, $3 from ${tables.entry}
     where source = $1 and event_id = any($2::text[])`,
    [source, eventIds, at],
  )
}

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

import type { FeedEvent } from '@feed-receiver/core'
import { base64Sql, isoTime } from '../entry/sql.ts'
import type { Change } from '../entry/change.ts'
import { entryRowColumns, type EntryRow } from './list-entries.ts'
import { readEntry } from '../entry/read-entry.ts'
import type { Place } from '../queue/queue.ts'

/** All that is known about one entry. */
export interface EntryDetails extends EntryRow {
  /** The event as its handler gets it; null where its content is not kept any more. */
  event: FeedEvent | null
  /** The exact bytes that were signed, in Base64; null as above. */
  bodyBase64: string | null
  sha256: string | null
  headers: Record<string, string>
  /** Fingerprint of the secret that had signed it (R204). */
  signedBy: string | null
  signedAt: string | null
  firstPushAt: string | null
  lastPushAt: string | null
  /** When pull saw it first; null where it never did. */
  pulledAt: string | null
  /** How the content came that its handler gets. */
  via: 'push' | 'pull'
  /** What that content is to the handler. */
  change: Change
  revision: number
  /** What it said before it was revised, the oldest first: the latest 20. */
  revisions: EntryRevision[]
  /** The latest job of the entry; null once the queue has forgotten it. */
  job: EntryJobRow | null
}

export async function getEntry(place: Place, eventId: string): Promise<EntryDetails | null> {
  const { database, tables, source } = place
  const { rows } = await database.query<
    Omit<EntryDetails, 'event' | 'job' | 'revisions'> & { pull: FeedEvent | null }
  >(
    `select ${entryRowColumns}, ${base64Sql('body')} as "bodyBase64",
       sha256, headers, signed_by as "signedBy", ${isoTime('signed_at')} as "signedAt",
       ${isoTime('first_push_at')} as "firstPushAt", ${isoTime('last_push_at')} as "lastPushAt",
       ${isoTime('pulled_at')} as "pulledAt", via, change, revision, pull
     from ${tables.entry}
     where source = $1 and event_id = $2`,
    [source, eventId],
  )
  const [row] = rows
  if (!row) return null
  const job = await findJob(place, row.id)
  const { pull, ...details } = row
  const body = row.bodyBase64 === null ? null : Buffer.from(row.bodyBase64, 'base64')
  const revisions = row.revision > 1 ? await listRevisions(place, row.id, body) : []
  return { ...details, event: readEntry({ body, pull }), revisions, job }
}

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
async function listRevisions(
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

/** The job of an entry, as the queue has it. */
export interface EntryJobRow {
  id: string
  state: 'waiting' | 'retrying' | 'running' | 'completed' | 'cancelled' | 'failed'
  /** How often a handler was started. */
  attempts: number
  maxAttempts: number
  /** Of the attempt that failed last; the queue keeps no earlier ones. */
  lastError: { message: string; stack: string | null } | null
  /** When a waiting or retrying job is due. */
  nextAttemptAt: string | null
  startedAt: string | null
  endedAt: string | null
}

/** The latest job of an entry; null where the queue has none, or has deleted it since. */
export async function findJob(
  { database, tables, queue }: Place,
  entryId: number,
): Promise<EntryJobRow | null> {
  const { rows } = await database.query<
    Omit<EntryJobRow, 'lastError'> & Record<'message' | 'stack', string | null>
  >(
    `select id::text as id,
       case state::text
         when 'created' then 'waiting' when 'retry' then 'retrying' when 'active' then 'running'
         else state::text
       end as state,
       case when started_on is null then 0 else retry_count + 1 end as attempts,
       retry_limit + 1 as "maxAttempts",
       coalesce(output ->> 'message', output #>> '{value,message}') as message,
       output ->> 'stack' as stack,
       case when state::text in ('created', 'retry') then ${isoTime('start_after')} end
         as "nextAttemptAt",
       ${isoTime('started_on')} as "startedAt", ${isoTime('completed_on')} as "endedAt"
     from ${tables.job}
     where data ->> 'entryId' = $2 and name = $1
     order by created_on desc
     limit 1`,
    [queue.name, String(entryId)],
  )
  const [row] = rows
  if (!row) return null
  const { message, stack, ...job } = row
  return { ...job, lastError: message === null ? null : { message, stack } }
}

import { parseEvent, type FeedEvent } from '@feed-receiver/core'
import type { Queryable } from '@feed-receiver/database'
import { findJob, type EntryJobRow } from './find-job.ts'
import { isoTime } from './iso-time.ts'
import { entryRowColumns, type EntryRow } from './list-entries.ts'
import type { Tables } from './tables.ts'

/** All that is known about one entry. */
export interface EntryDetails extends EntryRow {
  /** The event as it was signed; null where the bytes are not kept any more. */
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
  revision: number
  /** The latest job of the entry; null once the queue has forgotten it. */
  job: EntryJobRow | null
}

export interface GetEntryOptions {
  source: string
  /** The name of the queue. */
  queue: string
  eventId: string
}

/** One entry by the id of its event, with its bytes and its job; null where there is none. */
export async function getEntry(
  db: Queryable,
  tables: Tables,
  { source, queue, eventId }: GetEntryOptions,
): Promise<EntryDetails | null> {
  const { rows } = await db.query<Omit<EntryDetails, 'event' | 'job'>>(
    `select ${entryRowColumns}, translate(encode(body, 'base64'), e'\\n', '') as "bodyBase64",
       sha256, headers, signed_by as "signedBy", ${isoTime('signed_at')} as "signedAt",
       ${isoTime('first_push_at')} as "firstPushAt", ${isoTime('last_push_at')} as "lastPushAt",
       revision
     from ${tables.entry}
     where source = $1 and event_id = $2`,
    [source, eventId],
  )
  const [row] = rows
  if (!row) return null
  const job = await findJob(db, tables.job, queue, row.id)
  return { ...row, event: eventIn(row.bodyBase64), job }
}

function eventIn(bodyBase64: string | null): FeedEvent | null {
  if (bodyBase64 === null) return null
  const parsed = parseEvent(Buffer.from(bodyBase64, 'base64'))
  return 'event' in parsed ? parsed.event : null
}

import { withoutSecrets, type FeedEvent } from '@feed-receiver/core'
import { base64Sql, isoTime } from '../entry/sql.ts'
import type { Change } from '../entry/change.ts'
import { isFailing, jobSql, type KnownJob, type ListedJob } from './listed-job.ts'
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
  /** Whether the handling that it waits for is a replay, or the last one was. */
  isReplay: boolean
  /** What it said before it was revised, the oldest first: the latest 20. */
  revisions: EntryRevision[]
  /** What its handler has done by `effects.once`, in that order: the first 100. */
  effects: EntryEffect[]
  /** The latest job of the entry; null once the queue has forgotten it. */
  job: EntryJobRow | null
}

/** An effect outside the database that later runs of the handler leave out. */
export interface EntryEffect {
  key: string
  /** ISO 8601 in UTC. */
  at: string
}

export async function getEntry(place: Place, eventId: string): Promise<EntryDetails | null> {
  const { database, tables, source } = place
  const { rows } = await database.query<
    Omit<EntryDetails, 'event' | 'job' | 'isFailing' | 'revisions' | 'effects'> & {
      pull: FeedEvent | null
    }
  >(
    `select ${entryRowColumns}, ${base64Sql('body')} as "bodyBase64",
       sha256, coalesce(headers, '{}') as headers, signed_by as "signedBy", ${isoTime('signed_at')} as "signedAt",
       ${isoTime('first_push_at')} as "firstPushAt", ${isoTime('last_push_at')} as "lastPushAt",
       ${isoTime('pulled_at')} as "pulledAt", via, change, revision,
       is_replay as "isReplay", pull
     from ${tables.entry} left join ${tables.entryBody} on entry_id = id
     where source = $1 and event_id = $2`,
    [source, eventId],
  )
  const [row] = rows
  if (!row) return null
  const job = await findJob(place, row.id)
  const effects = await listEffects(place, row.id)
  const { pull, ...details } = row
  const body = row.bodyBase64 === null ? null : Buffer.from(row.bodyBase64, 'base64')
  const revisions = row.revision > 1 ? await listRevisions(place, row.id, body) : []
  const event = readEntry({ body, pull })
  return { ...details, event, revisions, effects, isFailing: isFailing(row, job), job }
}

async function listEffects({ database, tables }: Place, entryId: number): Promise<EntryEffect[]> {
  const { rows } = await database.query<EntryEffect>(
    `select key, ${isoTime('happened_at')} as at from ${tables.effect} where entry_id = $1
     order by happened_at, key limit 100`,
    [entryId],
  )
  return rows
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
export interface EntryJobRow extends ListedJob {
  id: string
  /** Of the attempt that failed last, without passwords; the queue keeps no earlier ones. */
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
    Omit<EntryJobRow, 'lastError'> & KnownJob & { stack: string | null }
  >(
    `select id::text as id,
       ${jobSql.state} as state, ${jobSql.attempts} as attempts,
       ${jobSql.maxAttempts} as "maxAttempts", ${jobSql.message} as message,
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
  if (message === null) return { ...job, lastError: null }
  const shown = stack === null ? null : withoutSecrets(stack)
  return { ...job, lastError: { message: withoutSecrets(message), stack: shown } }
}

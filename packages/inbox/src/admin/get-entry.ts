import type { FeedEvent } from '@feed-receiver/core'
import { withoutSecrets } from '@feed-receiver/core/internal'
import { isFailing } from '../entry/entry-filter.ts'
import { latestJobSql } from '../entry/error-sql.ts'
import { base64Sql, isoTime, listSql } from '../entry/sql.ts'
import type { Change } from '../entry/change.ts'
import { jobSql, type KnownJob, type ListedJob } from './listed-job.ts'
import { entryRowColumns, type EntryRow } from './list-entries.ts'
import { readEntry, type EntryContent } from '../entry/read-entry.ts'
import type { InboxContext } from '../context.ts'

/** The details of one entry. */
export interface EntryDetails extends EntryRow {
  /** The event as its handler gets it; null if its content was deleted. */
  event: FeedEvent | null
  /**
   * The exact bytes that were signed, in Base64; null if the content was deleted or came by pull.
   */
  bodyBase64: string | null
  sha256: string | null
  headers: Record<string, string>
  /** Fingerprint of the secret that signed it. */
  signedBy: string | null
  signedAt: string | null
  firstPushAt: string | null
  lastPushAt: string | null
  /** When pull first saw it; null if it never did. */
  pulledAt: string | null
  /** The source of the content that the handler gets. */
  via: 'push' | 'pull'
  /** How that content relates to what the handler was given before. */
  change: Change
  revision: number
  /** Whether the pending or the last handling is a reprocessing. */
  isReprocessed: boolean
  /** The content before each revision, oldest first: the latest 20. */
  revisions: EntryRevision[]
  /** The effects that its handler ran through `effects.once`, in order: the first 100. */
  effects: EntryEffect[]
  /** The latest job of the entry; null once the queue has deleted it. */
  job: EntryJobRow | null
}

/** An effect outside the database. Later runs of the handler do not repeat it. */
export interface EntryEffect {
  key: string
  /** ISO 8601 in UTC. */
  at: string
}

/** The limit, because further revisions of a much-corrected event add little. */
const maxRevisions = 20

export async function getEntry(
  context: InboxContext,
  eventId: string,
): Promise<EntryDetails | null> {
  const { database, tables, source } = context
  const { rows } = await database.query<
    Omit<EntryDetails, 'event' | 'job' | 'isFailing' | 'revisions'> & {
      pull: EntryContent['pull']
      replaced: (Omit<EntryRevision, 'event'> & Pick<EntryContent, 'pull'>)[]
    }
  >(
    `select ${entryRowColumns}, ${base64Sql('body')} as "bodyBase64",
       sha256, coalesce(headers, '{}') as headers, signed_by as "signedBy", ${isoTime('signed_at')} as "signedAt",
       ${isoTime('first_push_at')} as "firstPushAt", ${isoTime('last_push_at')} as "lastPushAt",
       ${isoTime('pulled_at')} as "pulledAt", via, change, revision,
       is_reprocessed as "isReprocessed", pull,
       ${listSql(
         `select key, ${isoTime('happened_at')} as at from ${tables.effect} where entry_id = entry.id
          order by happened_at, key limit 100`,
       )} as effects,
       ${listSql(
         `select revision, via, change, pull, ${isoTime('replaced_at')} as "replacedAt"
          from ${tables.entryRevision} where entry_id = entry.id
          order by revision desc limit ${maxRevisions}`,
       )} as replaced
     from ${tables.entry} entry left join ${tables.entryBody} on entry_id = id
     where source = $1 and event_id = $2`,
    [source, eventId],
  )
  const [row] = rows
  if (!row) return null
  const job = await findJob(context, row.id)
  const { pull, replaced, ...details } = row
  const body = row.bodyBase64 === null ? null : Buffer.from(row.bodyBase64, 'base64')
  const revisions = replaced.toReversed().map(({ pull: before, ...revision }) => ({
    ...revision,
    event: before ?? readEntry({ body, pull: null }),
  }))
  const event = readEntry({ body, pull })
  return { ...details, event, revisions, isFailing: isFailing(row, job), job }
}

/** The content of an entry before a revision. */
export interface EntryRevision {
  revision: number
  via: 'push' | 'pull'
  /** How it related to what the handler was given before. */
  change: Change
  /** Null if its content was deleted. */
  event: FeedEvent | null
  /** When pull saw the content that replaced it; ISO 8601 in UTC. */
  replacedAt: string
}

/** The job of an entry, as the queue has it. */
export interface EntryJobRow extends ListedJob {
  id: string
  /** The error of the last failed attempt, without passwords. The queue stores no earlier ones. */
  lastError: { message: string; stack: string | null } | null
  /** When a waiting or retrying job is due. */
  nextAttemptAt: string | null
  startedAt: string | null
  endedAt: string | null
}

export async function findJob(
  { database, tables, source }: InboxContext,
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
     from ${latestJobSql(tables, '$2')} job`,
    [source, String(entryId)],
  )
  const [row] = rows
  if (!row) return null
  const { message, stack, ...job } = row
  if (message === null) return { ...job, lastError: null }
  const shown = stack === null ? null : withoutSecrets(stack)
  return { ...job, lastError: { message: withoutSecrets(message), stack: shown } }
}

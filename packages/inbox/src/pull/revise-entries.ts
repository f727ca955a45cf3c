import { parseEvent } from '@feed-receiver/core/internal'
import type { Tx } from '@feed-receiver/database'
import { contentHash } from '../entry/content-hash.ts'
import type { EntryState } from '../entry/entry-filter.ts'
import { compareVersions, type Change, type Version } from '../entry/change.ts'
import { pullColumns, rowTypes, writeRows, type PulledRow } from './pulled-row.ts'
import type { Tables } from '../entry/tables.ts'
import { enqueueEntries } from '../queue/enqueue-entries.ts'
import type { InboxContext } from '../context.ts'
import { contentColumns, recordsSql } from '../entry/columns.ts'

interface KnownEntry extends Version {
  eventId: string
  state: EntryState
  change: Change
  /** Whether it was already handled, and is reprocessed. */
  isReprocessed: boolean
  pullHash: string | null
  body: Uint8Array | null
}

/**
 * Updates known entries from pull: adds facts that push does not have, and stores changed content
 * as a revision. An ended entry is received again, with a new job. A pending entry is handled with
 * the new content. Returns the number of revisions.
 */
export async function reviseEntries(
  tx: Tx,
  context: InboxContext,
  rows: readonly PulledRow[],
  at: Date,
): Promise<number> {
  if (rows.length === 0) return 0
  const known = await lockKnown(tx, context, rows)
  const changes = new Map<PulledRow, { revised: Change | null; requeued: boolean }>()
  for (const row of rows) {
    const entry = known.get(row.event.id)
    if (!entry || entry.pullHash === row.pullHash) continue
    const verdict = compareVersions(entry, row)
    if (verdict === 'stale') continue
    const revised = verdict === 'same' ? null : nameChange(entry, verdict)
    changes.set(row, { revised, requeued: revised !== null && entry.state !== 'received' })
  }
  if (changes.size === 0) return 0

  const seen = writeRows([...changes.keys()], (row) => changes.get(row) ?? {})
  const values = [context.source, seen, at]
  const { rows: requeued } = await tx.query<{ id: number }>(reviseSql(context.tables), values)
  const ids = requeued.map(({ id }) => id)
  await enqueueEntries(tx, context, ids)
  return [...changes.values()].filter(({ revised }) => revised !== null).length
}

/**
 * An entry that was never handled stays `new`, however often it changes, unless it is retracted.
 */
function nameChange(
  { state, change, isReprocessed }: KnownEntry,
  verdict: Exclude<Change, 'new'>,
): Change {
  const wasHandled = state === 'done' || isReprocessed
  if (state === 'received' && change === 'retraction' && !wasHandled) return change
  const isNew = change === 'new' && !wasHandled
  return isNew && verdict !== 'retraction' ? 'new' : verdict
}

async function lockKnown(
  tx: Tx,
  { tables, source }: InboxContext,
  pulled: readonly PulledRow[],
): Promise<Map<string, KnownEntry>> {
  const ids = pulled.map(({ event }) => event.id)
  const { rows } = await tx.query<KnownEntry>(
    `select event_id as "eventId", state, change, is_reprocessed as "isReprocessed", confirmation, content_hash as "contentHash",
       pull_hash as "pullHash", pull_hash is not null as "isPulled", corrected_at as "correctedAt",
       retracted_at as "retractedAt", case when content_hash is null then body end as body
     from ${tables.entry} entry left join ${tables.entryBody} on entry_id = id
     where source = $1 and event_id = any($2::text[])
     order by event_id
     for update of entry`,
    [source, ids],
  )
  return new Map(rows.map((row) => [row.eventId, withContent(row)]))
}

/** An entry that only push has brought has no content hash yet, so its body is hashed. */
function withContent(entry: KnownEntry): KnownEntry {
  if (entry.body === null) return entry
  const parsed = parseEvent(entry.body)
  return 'event' in parsed ? { ...entry, contentHash: contentHash(parsed.event) } : entry
}

// Stores the previous content of revised entries. The signed body stays. A new subject changes the
// order key of the entry, but a job that is already queued keeps its old key.
function reviseSql({ entry: table, entryBody, entryRevision }: Tables): string {
  const taken = [...contentColumns, ...pullColumns]
  return `with seen as (
      select * from ${recordsSql('$2', 'seen', { ...rowTypes, revised: 'text', requeued: 'boolean' })}
    ),
    previous as (
      insert into ${entryRevision} (entry_id, revision, via, change, pull, replaced_at)
      select entry.id, entry.revision, entry.via, entry.change, content.pull, $3::timestamptz
      from ${table} entry join seen on seen.event_id = entry.event_id
      left join ${entryBody} content on content.entry_id = entry.id
      where entry.source = $1 and seen.revised is not null
    ),
    updated as (
      update ${table} entry set
        ${taken.map((name) => `${name} = seen.${name}`).join(', ')},
        pulled_at = coalesce(entry.pulled_at, $3),
        revision = entry.revision + case when seen.revised is null then 0 else 1 end,
        change = coalesce(seen.revised, entry.change),
        via = case when seen.revised is null then entry.via else 'pull' end,
        state = case when seen.requeued then 'received' else entry.state end,
        handled_at = case when seen.requeued then null else entry.handled_at end,
        is_reprocessed = entry.is_reprocessed and seen.revised is null
      from seen
      where entry.source = $1 and entry.event_id = seen.event_id
      returning entry.id, seen.requeued, seen.pull
    ),
    content as (
      insert into ${entryBody} (entry_id, pull) select id, pull from updated
      on conflict (entry_id) do update set pull = excluded.pull
    )
    select id from updated where requeued`
}

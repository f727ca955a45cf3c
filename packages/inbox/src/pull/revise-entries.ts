import { parseEvent } from '@feed-receiver/core'
import type { Tx } from '@feed-receiver/database'
import { contentHash } from '../entry/content-hash.ts'
import type { EntryState } from '../entry/entry-filter.ts'
import { judgeChange, type Change, type Version } from '../entry/change.ts'
import { pullColumns, rowTypes, writeRows, type PulledRow } from './pulled-row.ts'
import type { Tables } from '../entry/tables.ts'
import { enqueueEntries } from '../queue/enqueue-entries.ts'
import type { Place } from '../queue/queue.ts'
import { contentColumns, recordsSql } from '../entry/columns.ts'

interface KnownEntry extends Version {
  eventId: string
  state: EntryState
  change: Change
  /** Whether it was handled before, although it waits. */
  isReplay: boolean
  pullHash: string | null
  body: Uint8Array | null
}

/**
 * Takes over what pull says about entries that are known: what a push has not told, and content that
 * has changed, which is a revision. An entry that had ended is received again, with a job of its own;
 * one that still waits is handled with the new content. Gives the number of revisions.
 */
export async function reviseEntries(
  tx: Tx,
  place: Place,
  rows: readonly PulledRow[],
  at: Date,
): Promise<number> {
  if (rows.length === 0) return 0
  const known = await lockKnown(tx, place, rows)
  const changes = new Map<PulledRow, { revised: Change | null; reopened: boolean }>()
  for (const row of rows) {
    const entry = known.get(row.event.id)
    if (!entry || entry.pullHash === row.pullHash) continue
    const verdict = judgeChange(entry, row)
    if (verdict === 'stale') continue
    const revised = verdict === 'same' ? null : nameChange(entry, verdict)
    changes.set(row, { revised, reopened: revised !== null && entry.state !== 'received' })
  }
  if (changes.size === 0) return 0

  const seen = writeRows([...changes.keys()], (row) => changes.get(row) ?? {})
  const values = [place.source, seen, at]
  const { rows: reopened } = await tx.query<{ id: number }>(reviseSql(place.tables), values)
  const ids = reopened.map(({ id }) => id)
  await enqueueEntries(tx, place, ids)
  return [...changes.values()].filter(({ revised }) => revised !== null).length
}

/** What was never handled is new to its handler, however often it has changed; but not if retracted. */
function nameChange(
  { state, change, isReplay }: KnownEntry,
  verdict: Exclude<Change, 'new'>,
): Change {
  const wasHandled = state === 'done' || isReplay
  if (state === 'received' && change === 'retraction' && !wasHandled) return change
  const isNew = change === 'new' && !wasHandled
  return isNew && verdict !== 'retraction' ? 'new' : verdict
}

async function lockKnown(
  tx: Tx,
  { tables, source }: Place,
  pulled: readonly PulledRow[],
): Promise<Map<string, KnownEntry>> {
  const ids = pulled.map(({ event }) => event.id)
  const { rows } = await tx.query<KnownEntry>(
    `select event_id as "eventId", state, change, is_replay as "isReplay", confirmation, content_hash as "contentHash",
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

/** An entry that only push has brought has its content in its bytes. */
function withContent(entry: KnownEntry): KnownEntry {
  if (entry.body === null) return entry
  const parsed = parseEvent(entry.body)
  return 'event' in parsed ? { ...entry, contentHash: contentHash(parsed.event) } : entry
}

// What entries say is kept before it is revised. The bytes stay what was signed. Who was named as the
// subject first keeps the entry's order key only if the new content says so too, since a job is queued
// under the key of its time.
function reviseSql({ entry: table, entryBody, entryRevision }: Tables): string {
  const taken = [...contentColumns, ...pullColumns]
  return `with seen as (
      select * from ${recordsSql('$2', 'seen', { ...rowTypes, revised: 'text', reopened: 'boolean' })}
    ),
    kept as (
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
        state = case when seen.reopened then 'received' else entry.state end,
        handled_at = case when seen.reopened then null else entry.handled_at end,
        is_replay = entry.is_replay and seen.revised is null
      from seen
      where entry.source = $1 and entry.event_id = seen.event_id
      returning entry.id, seen.reopened, seen.pull
    ),
    content as (
      insert into ${entryBody} (entry_id, pull) select id, pull from updated
      on conflict (entry_id) do update set pull = excluded.pull
    )
    select id from updated where reopened`
}

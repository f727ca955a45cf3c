import { parseEvent } from '@feed-receiver/core'
import type { Tx } from '@feed-receiver/database'
import { contentHash } from '../entry/content-hash.ts'
import type { EntryState } from '../entry/entry-filter.ts'
import { judgeChange, type Change, type Version } from '../entry/change.ts'
import { inOrderSql, orderKeySql, type EntryToQueue } from '../entry/order-key.ts'
import { rowColumnsSql, writeRows, type PulledRow } from './pulled-row.ts'
import type { Queue } from '../queue/queue.ts'
import { keepRevisions } from './revisions.ts'
import type { Tables } from '../entry/tables.ts'

export interface ReviseOptions {
  tables: Tables
  source: string
  queue: Queue
  at: Date
}

interface KnownEntry extends Version {
  eventId: string
  state: EntryState
  change: Change
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
  rows: readonly PulledRow[],
  { tables, source, queue, at }: ReviseOptions,
): Promise<number> {
  if (rows.length === 0) return 0
  const known = await lockKnown(tx, tables.entry, source, rows)
  const changes = new Map<PulledRow, { revised: Change | null; reopened: boolean }>()
  for (const row of rows) {
    const entry = known.get(row.event.id)
    if (!entry || entry.pullHash === row.pullHash) continue
    const verdict = judgeChange(entry, row)
    if (verdict === 'stale') continue
    const change = verdict === 'same' ? null : nameChange(entry, verdict)
    changes.set(row, { revised: change, reopened: change !== null && entry.state !== 'received' })
  }
  if (changes.size === 0) return 0

  const revised = [...changes].filter(([, change]) => change.revised !== null)
  const eventIds = revised.map(([{ event }]) => event.id)
  await keepRevisions(tx, tables, { source, eventIds, at })
  const columnsOf = (row: PulledRow) => changes.get(row) ?? {}
  const { rows: reopened } = await tx.query<EntryToQueue>(updateSql(tables.entry), [
    source,
    writeRows([...changes.keys()], columnsOf),
    at,
  ])
  if (reopened.length > 0) await queue.enqueue(reopened, tx)
  return revised.length
}

/** What was never handled is new to its handler, however often it has changed; but not if retracted. */
function nameChange({ state, change }: KnownEntry, verdict: Exclude<Change, 'new'>): Change {
  if (state === 'received' && change === 'retraction') return change
  const isNew = change === 'new' && state !== 'done'
  return isNew && verdict !== 'retraction' ? 'new' : verdict
}

async function lockKnown(
  tx: Tx,
  table: string,
  source: string,
  pulled: readonly PulledRow[],
): Promise<Map<string, KnownEntry>> {
  const ids = pulled.map(({ event }) => event.id)
  const { rows } = await tx.query<KnownEntry>(
    `select event_id as "eventId", state, change, confirmation, content_hash as "contentHash",
       pull_hash as "pullHash", pull_hash is not null as "isPulled", corrected_at as "correctedAt", retracted_at as "retractedAt",
       case when content_hash is null then body end as body
     from ${table}
     where source = $1 and event_id = any($2::text[])
     order by event_id
     for update`,
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

// The bytes stay what was signed. Who was named as the subject first keeps the entry's order key only
// if the new content says so too, since a job is queued under the key of its time.
function updateSql(table: string): string {
  return `with seen as (
      select * from json_to_recordset($2::json) as seen (
        ${rowColumnsSql}, revised text, reopened boolean
      )
    ),
    updated as (
      update ${table} entry set
        pull = seen.pull,
        content_hash = seen.content_hash,
        pull_hash = seen.pull_hash,
        corrected_at = seen.corrected_at,
        retracted_at = seen.retracted_at,
        pulled_at = coalesce(entry.pulled_at, $3),
        type = seen.type,
        provider = seen.provider,
        category = seen.category,
        subject_type = seen.subject_type,
        subject_key = seen.subject_key,
        title = seen.title,
        confirmation = seen.confirmation,
        revision = entry.revision + case when seen.revised is null then 0 else 1 end,
        change = coalesce(seen.revised, entry.change),
        via = case when seen.revised is null then entry.via else 'pull' end,
        state = case when seen.reopened then 'received' else entry.state end,
        handled_at = case when seen.reopened then null else entry.handled_at end
      from seen
      where entry.source = $1 and entry.event_id = seen.event_id
      returning entry.id, entry.provider, entry.subject_type, entry.subject_key,
        entry.received_at, seen.reopened
    )
    select id, ${orderKeySql} as "orderKey" from updated where reopened ${inOrderSql}`
}

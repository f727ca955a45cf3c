import { noteEvent } from '@feed-receiver/core/internal'
import { type FeedEvent } from '@feed-receiver/core'
import { contentHash, pullHash } from '../entry/content-hash.ts'
import { entryColumns, entryTypes } from '../entry/columns.ts'
import { compareVersions, type Version } from '../entry/change.ts'

/** A pulled event, as a row of the statements that store it. */
export interface PulledRow extends Version {
  event: FeedEvent
  contentHash: string
  pullHash: string
}

/**
 * Creates the rows of a page, one per event. If an event occurs twice, the newest version counts.
 */
export function pulledRows(events: readonly FeedEvent[]): PulledRow[] {
  const rows = new Map<string, PulledRow>()
  for (const event of events) {
    const row = pulledRow(event)
    const other = rows.get(event.id)
    if (!other || compareVersions(other, row) !== 'stale') rows.set(event.id, row)
  }
  return [...rows.values()]
}

function pulledRow(event: FeedEvent): PulledRow {
  return {
    event,
    contentHash: contentHash(event),
    pullHash: pullHash(event),
    confirmation: event.data.confirmation,
    isPulled: true,
    correctedAt: toDate(event.pull?.correctedAt),
    retractedAt: toDate(event.pull?.retractedAt),
  }
}

function toDate(time: string | null | undefined): Date | null {
  const date = new Date(time ?? Number.NaN)
  return Number.isNaN(date.getTime()) ? null : date
}

const pullTypes = {
  content_hash: 'text',
  pull_hash: 'text',
  corrected_at: 'timestamptz',
  retracted_at: 'timestamptz',
}

/** The columns that only pull fills. The pulled content is stored beside them. */
export const pullColumns = Object.keys(pullTypes)

/** The columns that `writeRows` fills, with their types. */
export const rowTypes = { ...entryTypes, ...pullTypes, pull: 'jsonb' }

/** Writes rows, with more columns for a statement, as JSON that PostgreSQL accepts. */
export function writeRows(
  rows: readonly PulledRow[],
  columnsOf: (row: PulledRow, index: number) => object,
): string {
  const columns = rows.map((row, index) => ({ ...rowColumns(row), ...columnsOf(row, index) }))
  const text = JSON.stringify(columns)
  // PostgreSQL accepts no NUL and no half surrogate. JSON writes both as escapes.
  if (!text.includes('\\u')) return text
  return text.replaceAll(/(?<!\\)((?:\\\\)*)\\u(?:0000|d[89a-f][0-9a-f]{2})/g, '$1\\ufffd')
}

function rowColumns(row: PulledRow): Record<keyof typeof rowTypes, unknown> {
  const { pull: _, ...envelope } = row.event
  return {
    ...entryColumns(envelope, noteEvent(envelope)),
    pull: row.event,
    content_hash: row.contentHash,
    pull_hash: row.pullHash,
    corrected_at: row.correctedAt,
    retracted_at: row.retractedAt,
  }
}

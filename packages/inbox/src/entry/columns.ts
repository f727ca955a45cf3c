import type { FeedEvent } from '@feed-receiver/core'
import { cleanText } from '../clean-text.ts'

/** The searchable content of an event, with the types of the columns. */
const contentTypes = {
  type: 'text',
  provider: 'text',
  category: 'text',
  subject_type: 'text',
  subject_key: 'text',
  title: 'text',
  confirmation: 'text',
}

/**
 * The columns that push and pull fill. The exact bytes, or the pulled content, are stored beside
 * them.
 */
export const entryTypes = {
  event_id: 'text',
  notes: 'text[]',
  ...contentTypes,
  created_at: 'timestamptz',
}

/** The columns that change with the content. */
export const contentColumns = Object.keys(contentTypes)

/** Fills the columns from an event. */
export function entryColumns(
  { id, type, created_at, data }: FeedEvent,
  notes: readonly string[],
): Record<keyof typeof entryTypes, unknown> {
  return {
    event_id: id,
    notes,
    type: cleanText(type),
    provider: cleanText(data.provider),
    category: cleanText(data.category),
    subject_type: data.subject.type === null ? null : cleanText(data.subject.type),
    subject_key: data.subject.key === null ? null : cleanText(data.subject.key),
    title: cleanText(data.title),
    confirmation: cleanText(data.confirmation),
    created_at: clampTime(Date.parse(created_at)),
  }
}

/** SQL for the rows of a JSON array, under a name and with columns of the given types. */
export function recordsSql(parameter: string, name: string, types: Record<string, string>): string {
  const columns = Object.entries(types).map(([column, type]) => `${column} ${type}`)
  return `json_to_recordset(${parameter}::json) as ${name} (${columns.join(', ')})`
}

// The first and the last moment that PostgreSQL, its drivers and ISO 8601 agree on.
const earliest = Date.parse('0001-01-01T00:00:00Z')
const latest = Date.parse('9999-12-31T23:59:59Z')

function clampTime(ms: number): Date {
  return new Date(Math.min(Math.max(ms, earliest), latest))
}

import type { FeedEvent } from '@feed-receiver/core'
import { cleanText } from './clean-text.ts'

/** The columns that lists and searches use, made from an event. */
export interface EntryColumns {
  type: string
  provider: string
  category: string
  subjectType: string | null
  subjectKey: string | null
  title: string
  confirmation: string
  createdAt: Date
}

/** Takes the columns from an event; the exact bytes stay beside them. */
export function entryColumns({ type, created_at, data }: FeedEvent): EntryColumns {
  return {
    type: cleanText(type),
    provider: cleanText(data.provider),
    category: cleanText(data.category),
    subjectType: data.subject.type === null ? null : cleanText(data.subject.type),
    subjectKey: data.subject.key === null ? null : cleanText(data.subject.key),
    title: cleanText(data.title),
    confirmation: cleanText(data.confirmation),
    createdAt: clampTime(Date.parse(created_at)),
  }
}

// The first and the last moment that PostgreSQL, its drivers and ISO 8601 agree about.
const earliest = Date.parse('0001-01-01T00:00:00Z')
const latest = Date.parse('9999-12-31T23:59:59Z')

function clampTime(ms: number): Date {
  return new Date(Math.min(Math.max(ms, earliest), latest))
}

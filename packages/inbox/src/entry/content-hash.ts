import type { FeedEvent } from '@feed-receiver/core'
import { hash } from 'node:crypto'

/**
 * Hashes the content that both push and pull have, so that the same content has the same hash.
 * Absent and null are equal, and so are two spellings of one time. Entries store the hash: if
 * it changed, all known events would count as corrected.
 */
export function contentHash({ id, type, data }: FeedEvent): string {
  const { subject, source_published_at: publishedAt, benchmark, ...texts } = data
  const content = {
    id,
    type,
    provider: texts.provider,
    category: texts.category,
    subjectType: subject.type,
    subjectKey: subject.key,
    title: texts.title,
    summary: texts.summary,
    evidence: texts.evidence,
    confirmation: texts.confirmation,
    sourceUrl: texts.source_url,
    publishedAt: publishedAt === null ? null : Date.parse(publishedAt),
    benchmark,
  }
  return nameOf(content)
}

/** Hashes everything that pull says about an event. */
export function pullHash(event: FeedEvent): string {
  return nameOf(event)
}

function nameOf(value: unknown): string {
  return hash('sha256', JSON.stringify(canonical(value) ?? null))
}

/** The same value with sorted members, and without null members. */
function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => canonical(item) ?? null)
  if (typeof value !== 'object' || value === null) return value ?? undefined
  const members = Object.entries(value)
    .map(([name, member]): [string, unknown] => [name, canonical(member)])
    .filter(([, member]) => member !== undefined)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
  // An array of entries, because an object always puts numeric names first.
  return members.length === 0 ? undefined : members
}

import type { FeedEvent } from '@feed-receiver/core'
import { hash } from 'node:crypto'

/**
 * Names the content of an event by what both ways carry, so that a push and a pull of the same content
 * have the same name. Absent and null are the same (R38), and so are two spellings of one time. Entries
 * keep this name: if it changed, all that is known would count as corrected.
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

/** Names everything that pull says about an event. */
export function pullHash(event: FeedEvent): string {
  return nameOf(event)
}

function nameOf(value: unknown): string {
  return hash('sha256', JSON.stringify(canonical(value) ?? null))
}

/** The same value with its members in order, and without those that are null. */
function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => canonical(item) ?? null)
  if (typeof value !== 'object' || value === null) return value ?? undefined
  const members = Object.entries(value)
    .map(([name, member]): [string, unknown] => [name, canonical(member)])
    .filter(([, member]) => member !== undefined)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
  // A map of entries, since an object would put names that are numbers first in any case.
  return members.length === 0 ? undefined : members
}

import type { FeedEvent } from '@feed-receiver/core'
import type { ApiEvent } from './api-event.ts'

/** Converts an API event to the webhook envelope; `pull` holds the members it has no place for. */
export function toFeedEvent({
  id,
  providerSlug,
  eventType,
  category,
  subjectType,
  subjectKey,
  title,
  summary,
  sourceUrl,
  evidenceState,
  confirmationState,
  firstObservedAt,
  sourcePublishedAt,
  benchmark,
  ...pull
}: ApiEvent): FeedEvent {
  return {
    schema_version: '1.0',
    id,
    type: eventType,
    created_at: firstObservedAt,
    data: {
      provider: providerSlug,
      // The service uses the same value where the webhook requires a category.
      category: category ?? 'other',
      subject: { type: subjectType ?? null, key: subjectKey ?? null },
      title,
      summary: summary ?? null,
      evidence: evidenceState,
      confirmation: confirmationState,
      source_url: sourceUrl,
      source_published_at: sourcePublishedAt ?? null,
      ...(benchmark && { benchmark }),
    },
    pull,
  }
}

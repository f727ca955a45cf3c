import type { ApiEvent } from '../event/api-event.ts'
import type { FeedEvent } from '../event/feed-event.ts'

/** Puts an event of the API into the envelope of a webhook; `pull` has what has no place there. */
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
      // Where the webhook requires one, the service says the same (R76).
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

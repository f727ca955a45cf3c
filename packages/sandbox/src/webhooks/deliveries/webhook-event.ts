import { randomBytes } from 'node:crypto'
import type { FeedEvent } from '@feed-receiver/core'
import type { ServiceEvent } from '../../state/event-schema.ts'

/** An event as webhooks carry it (2.5, T11). */
export function toWebhookEvent(event: ServiceEvent): FeedEvent {
  const { benchmark } = event
  return {
    schema_version: '1.0',
    id: event.id,
    type: event.eventType,
    created_at: event.firstObservedAt,
    data: {
      provider: event.providerSlug,
      category: event.category ?? 'other',
      subject: { type: event.subjectType ?? null, key: event.subjectKey ?? null },
      title: event.title,
      summary: event.summary ?? null,
      evidence: event.evidenceState,
      confirmation: event.confirmationState,
      source_url: event.sourceUrl,
      source_published_at: event.sourcePublishedAt ?? null,
      ...(benchmark && { benchmark }),
    },
  }
}

/** A test delivery (R212), each with an id of its own: an inbox would drop a second one (R213). */
export function makeTestEvent(destinationId: string, at: Date, baseUrl: string): FeedEvent {
  return {
    schema_version: '1.0',
    id: `evt_test_${randomBytes(12).toString('hex')}`,
    type: 'destination_test',
    created_at: at.toISOString(),
    data: {
      provider: 'sandbox',
      category: 'other',
      subject: { type: 'destination', key: destinationId },
      title: 'Test delivery',
      summary: 'A sample event that shows whether this destination takes deliveries.',
      evidence: 'documented',
      confirmation: 'confirmed',
      source_url: `${baseUrl}/developers`,
      source_published_at: null,
    },
  }
}

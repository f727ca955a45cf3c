import { randomBytes } from 'node:crypto'
import type { FeedEvent } from '@feed-receiver/core'
import { toFeedEvent } from '@feed-receiver/core/api'
import type { ServiceEvent } from '../../state/event-schema.ts'

/** An event as webhooks carry it: without what only the pull API knows. */
export function toWebhookEvent(event: ServiceEvent): FeedEvent {
  const { pull: _, ...envelope } = toFeedEvent(event)
  return envelope
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

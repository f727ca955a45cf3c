import { expect, it } from 'vitest'
import { toWebhookEvent } from './enqueue-deliveries.ts'

it('fills every required member from a minimal event [R76]', () => {
  const event = toWebhookEvent({
    id: 'evt_1',
    providerSlug: 'openai',
    eventType: 'release_note',
    title: 'A note',
    sourceUrl: 'https://openai.example/1',
    evidenceState: 'documented',
    confirmationState: 'confirmed',
    firstObservedAt: '2026-12-01T00:00:00Z',
  })
  expect(event.data).toEqual({
    provider: 'openai',
    category: 'other',
    subject: { type: null, key: null },
    title: 'A note',
    summary: null,
    evidence: 'documented',
    confirmation: 'confirmed',
    source_url: 'https://openai.example/1',
    source_published_at: null,
  })
})

import type { FeedEvent } from '@feed-receiver/core'
import { describe, expect, it } from 'vitest'
import { contentHash } from './content-hash.ts'

const event: FeedEvent = {
  schema_version: '1.0',
  id: 'evt_kept',
  type: 'benchmark_rank_changed',
  created_at: '2026-11-02T10:00:00Z',
  data: {
    provider: 'northwind-ai',
    category: 'benchmarks',
    subject: { type: 'model', key: null },
    title: 'Northwind 1 is second',
    summary: null,
    evidence: 'documented',
    confirmation: 'confirmed',
    source_url: 'https://example.com/ranks',
    source_published_at: '2026-11-02T09:00:00Z',
    benchmark: { current: { rank: 2, 10: null }, previous: { rank: 3 } },
  },
}

describe('the content hash', () => {
  it('stays the same, because inboxes have stored it', () => {
    expect(contentHash(event)).toBe(
      '61623730705938cb155bb0bc9175e408ab8ceb2519343953246c0eb6b02cfe6e',
    )
  })

  it('ignores the order of members, the spelling of times, and null or absent members', () => {
    const { source_published_at: _, benchmark: __, ...data } = event.data
    const other: FeedEvent = {
      ...event,
      data: {
        benchmark: { previous: { rank: 3 }, current: { rank: 2 } },
        source_published_at: '2026-11-02T10:00:00+01:00',
        ...data,
      },
    }
    expect(contentHash(other)).toBe(contentHash(event))
  })

  it.each<Partial<FeedEvent['data']>>([
    { title: 'Northwind 1 is first' },
    { summary: '' },
    { source_published_at: null },
    { benchmark: { current: { rank: 1 }, previous: { rank: 3 } } },
  ])('differs for %o', (change) => {
    const changed = { ...event, data: { ...event.data, ...change } }
    expect(contentHash(changed)).not.toBe(contentHash(event))
  })
})

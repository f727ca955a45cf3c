import { describe, expect, it } from 'vitest'
import type { FeedEvent } from './feed-event.ts'
import { noteEvent } from './notes.ts'

const usual: FeedEvent = {
  schema_version: '1.0',
  id: 'evt_notes',
  type: 'benchmark_rank_changed',
  created_at: '2026-11-02T10:00:00Z',
  data: {
    provider: 'northwind-ai',
    category: 'benchmarks',
    subject: { type: 'benchmark', key: 'reasoning' },
    title: 'Northwind 1 takes the lead',
    summary: null,
    evidence: 'documented',
    confirmation: 'confirmed',
    source_url: 'https://northwind-ai.example/benchmarks',
    source_published_at: null,
    benchmark: { current: { rank: 1 }, previous: null },
  },
}

const properties = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`p${index}`, index]))

function noteData(data: object): string[] {
  return noteEvent({ ...usual, data: { ...usual.data, ...data } })
}

describe('noteEvent', () => {
  it('returns no notes for a typical event', () => {
    expect(noteEvent(usual)).toEqual([])
  })

  it('notes undocumented values', () => {
    expect(noteEvent({ ...usual, type: 'constructor' })).toEqual(['unknown_type'])
    expect(noteData({ category: 'pricing' })).toEqual(['unknown_category'])
    expect(noteData({ evidence: 'hearsay' })).toEqual(['unknown_evidence'])
    expect(noteData({ confirmation: 'rumoured' })).toEqual(['unknown_confirmation'])
  })

  it('notes undocumented members at every level', () => {
    expect(noteEvent(Object.assign({}, usual, { more: 1 }))).toEqual(['extra_members'])
    expect(noteData({ more: 1 })).toEqual(['extra_members'])
    expect(noteData({ subject: { type: null, key: null, more: 1 } })).toEqual(['extra_members'])
  })

  it('notes a benchmark over its bounds [R71]', () => {
    expect(noteData({ benchmark: { current: properties(50), previous: null } })).toEqual([])
    for (const benchmark of [
      { current: properties(51), previous: null },
      { current: null, previous: properties(51) },
      { current: null, previous: null, next: {} },
    ]) {
      expect(noteData({ benchmark })).toEqual(['benchmark_bounds'])
    }
  })
})

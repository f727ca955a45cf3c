import { parseEvent } from '@feed-receiver/core/internal'
import { type FeedEvent } from '@feed-receiver/core'
import { describe, expect, expectTypeOf, it } from 'vitest'
import type { z } from 'zod'
import { bodyVectors } from '../../../../test/contract/vectors/read-vectors.ts'
import { feedEventSchema } from '../../test/feed-event-schema.ts'

const usual = {
  schema_version: '1.0',
  id: 'evt_plain',
  type: 'model_release',
  created_at: '2026-11-02T10:00:00Z',
  data: {
    provider: 'northwind-ai',
    category: 'models',
    subject: { type: 'model', key: null },
    title: 'Northwind 1 is out',
    summary: null,
    evidence: 'documented',
    confirmation: 'confirmed',
    source_url: 'https://northwind-ai.example/changelog',
    source_published_at: null,
  },
}

const odd = [
  undefined,
  '2024-02-29T23:59:59.123+13:45',
  '2023-02-29T00:00:00Z',
  '2026-11-02T10:00:00',
  '2026-04-31T10:00:00Z',
  '2026-11-02T24:00:00Z',
  '2026-11-02T10:00Z',
  'urn:a',
  'https:',
  { current: null },
  { current: { rank: 1 }, previous: [] },
  null,
  true,
  0,
  1.0,
  '',
  ' ',
  '1.0',
  'a\nb',
  '\ud800',
  [],
  {},
  ['x'],
  { type: 'x' },
]
const members = [...paths(usual, []), 'data.benchmark']

describe('feedEventSchema', () => {
  it('has the type of an event', () => {
    expectTypeOf<z.infer<typeof feedEventSchema>>().toExtend<FeedEvent>()
    expectTypeOf<Omit<FeedEvent, 'pull'>>().toExtend<z.infer<typeof feedEventSchema>>()
  })

  it('accepts a typical event', () => {
    expect(feedEventSchema.safeParse(usual).success).toBe(true)
    expect(accepts(usual)).toBe(true)
  })

  it.each(members)('accepts the same values as parseEvent: %s', (path) => {
    for (const value of odd) {
      const event = replace(usual, path.split('.'), value)
      expect([value, accepts(event)]).toEqual([value, feedEventSchema.safeParse(event).success])
    }
  })

  it('accepts the same vectors as parseEvent', () => {
    for (const { says, body, outcome } of bodyVectors()) {
      if (outcome === 'not_json') continue
      const event: unknown = JSON.parse(body.toString())
      expect([says, 'event' in parseEvent(body)]).toEqual([
        says,
        feedEventSchema.safeParse(event).success,
      ])
    }
  })
})

function accepts(value: unknown): boolean {
  return 'event' in parseEvent(Buffer.from(JSON.stringify(value) ?? ''))
}

function* paths(value: object, above: string[]): Generator<string> {
  for (const [name, inner] of Object.entries(value)) {
    yield [...above, name].join('.')
    if (typeof inner === 'object' && inner !== null) yield* paths(inner, [...above, name])
  }
}

function replace(value: object, [name = '', ...rest]: string[], by: unknown): object {
  const inner: unknown = value[name as keyof typeof value]
  const changed = rest.length > 0 ? replace(inner as object, rest, by) : by
  return { ...value, [name]: changed }
}

import { describe, expect, it } from 'vitest'
import { bodyVectors } from '../../../../test/contract/vectors/read-vectors.ts'
import { feedEventSchema } from './feed-event.ts'
import { isPlainEvent } from './parse-text.ts'

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
const members = [...paths(usual, [])]

describe('isPlainEvent', () => {
  it('accepts a typical event', () => {
    expect(isSound(usual) && isPlainEvent(JSON.parse(JSON.stringify(usual)))).toBe(true)
  })

  it.each(members)('accepts only values that the schema accepts: %s', (path) => {
    for (const value of odd) {
      expect(isSound(replace(usual, path.split('.'), value))).toBe(true)
    }
  })

  it('accepts only vectors that the schema accepts', () => {
    for (const { body, outcome } of bodyVectors()) {
      if (outcome === 'not_json') continue
      const value: unknown = JSON.parse(body.toString())
      if (typeof value !== 'object' || value === null) continue
      expect(isSound(value)).toBe(true)
    }
  })
})

function isSound(value: object): boolean {
  return !isPlainEvent(value) || feedEventSchema.safeParse(value).success
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

import { knownTypes, parseEvent, type FeedEventData } from '@feed-receiver/core'
import { expect, test } from 'vitest'
import { fixture, fixtures } from './fixtures.ts'

test('has one event of each documented type, and one of an unknown type', () => {
  for (const type of knownTypes) expect(byType(type)).toHaveLength(1)
  const known: readonly string[] = knownTypes
  expect(fixtures.filter(({ type }) => !known.includes(type))).toHaveLength(1)
})

test.each(fixtures.map((event) => [event.type, event] as const))(
  '%s is an event of schema 1.0',
  (_type, event) => {
    const parsed = parseEvent(new TextEncoder().encode(JSON.stringify(event)))
    expect(parsed).toMatchObject({ event })
  },
)

test('is in order of created_at, with an id for each', () => {
  const times = fixtures.map((event) => Date.parse(event.created_at))
  expect(times).toEqual(times.toSorted((a, b) => a - b))
  expect(new Set(fixtures.map(({ id }) => id)).size).toBe(fixtures.length)
  for (const { id } of fixtures) expect(id).toMatch(/^evt_[a-z0-9]+$/)
})

test('the outage is one incident on the first-party status page', () => {
  const outage = ['outage_started', 'outage_updated', 'outage_resolved'].map((type) =>
    fixture(type),
  )
  expect(new Set(outage.map(({ data }) => data.subject.key)).size).toBe(1)
  for (const { data } of outage) {
    expect(data.source_url).toMatch(/^https:\/\/status\.northwind-ai\.example\//)
  }
  const times = outage.map((event) => Date.parse(event.created_at))
  expect(times).toEqual(times.toSorted((a, b) => a - b))
})

test('benchmarks carry their evidence, and a new model has no previous', () => {
  const benchmarks = fixtures.filter(({ type }) => type.startsWith('benchmark_'))
  for (const { data } of benchmarks) {
    expect(data.subject.type).toBe('benchmark')
    expect(data.benchmark?.current).toBeTypeOf('object')
  }
  expect(fixture('benchmark_model_added').data.benchmark?.previous).toBeNull()
})

test('covers the values and the nulls of the interface', () => {
  expect([...all(({ category }) => category)].toSorted()).toEqual(
    'api benchmarks datasets models other outages pricing products research'.split(' '),
  )
  for (const evidence of ['documented', 'api_listed', 'official_publication']) {
    expect(all((data) => data.evidence)).toContain(evidence)
  }
  expect([...all(({ confirmation }) => confirmation)]).toEqual(['confirmed', 'unconfirmed'])
  expect(all(({ summary }) => summary)).toContain(null)
  expect(all(({ subject }) => subject.type)).toContain(null)
  expect(all(({ subject }) => subject.key)).toContain(null)
  expect(all((data) => data.source_published_at)).toContain(null)
  expect(fixture('destination_test').data.subject.type).toBe('destination')
  expect(JSON.stringify(fixtures)).toMatch(/[^\0-\u00ff]/)
})

test('a fixture is a fresh copy', () => {
  const first = fixture('benchmark_rank_changed')
  const second = fixture('benchmark_rank_changed')
  expect(first).toEqual(second)
  first.data.subject.key = 'changed'
  first.data.benchmark = { current: null }
  expect(fixture('benchmark_rank_changed')).toEqual(second)
})

test('overrides replace members, and members of data one by one', () => {
  const subject = { type: null, key: null }
  const event = fixture('model_release', { id: 'evt_mine', data: { title: 'Mine', subject } })
  const original = fixture('model_release')
  expect(event).toEqual({
    ...original,
    id: 'evt_mine',
    data: { ...original.data, title: 'Mine', subject },
  })
  subject.type = null
  expect(event.data.subject).not.toBe(subject)
})

test('a type without a fixture is refused with the list of those there are', () => {
  expect(() => fixture('nothing_like_it')).toThrow(
    /one of: model_release, .*dataset_license_changed/,
  )
})

function byType(type: string) {
  return fixtures.filter((event) => event.type === type)
}

function all<T>(pick: (data: FeedEventData) => T): Set<T> {
  return new Set(fixtures.map(({ data }) => pick(data)))
}

import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { feedEventSchema } from '../../test/feed-event-schema.ts'
import {
  accountEventSchema,
  apiErrorSchema,
  apiEventSchema,
  deprecationSchema,
  modelCheckSchema,
  toFeedEvent,
  usageSchema,
} from './index.ts'

const event = {
  id: 'evt_1',
  providerSlug: 'northwind-ai',
  eventType: 'model_release',
  title: 'A model',
  sourceUrl: 'https://northwind-ai.example/models/1',
  evidenceState: 'documented',
  confirmationState: 'confirmed',
  firstObservedAt: '2026-09-03T14:12:08.551Z',
}
const root = {
  id: 'evt_1',
  title: 'An outage',
  summary: null,
  sourceUrl: 'https://status.northwind-ai.example/1',
  firstObservedAt: '2026-09-03T14:12:08.551Z',
}
const incident = {
  id: 'thread_1',
  rootEventId: 'evt_1',
  phase: 'updated',
  sequence: 2,
  receiptCount: 3,
  status: 'identified',
  startedAt: '2026-09-03T14:09:00Z',
  updatedAt: null,
  resolvedAt: null,
  root,
}
const accountEvent = {
  eventRef: `event_${'0a'.repeat(24)}`,
  type: 'capability.changed',
  subject: { type: 'capability_profile', ref: `subject_${'1b'.repeat(24)}`, label: 'Mine' },
  occurredAt: '2026-09-03T14:12:08+02:00',
  title: 'A capability changed',
  summary: null,
  integrityState: 'active',
  correctionOfEventRef: null,
  immediateEligible: true,
  digestEligible: false,
  data: { anything: ['goes'] },
}
const usage = { requests: 7, limit: 100_000, period: '2026-09', resetsAt: '2026-10-01T00:00:00Z' }

describe('an API event', () => {
  it.each(Object.keys(event))('requires %s', (member) => {
    expect(apiEventSchema.safeParse(event).success).toBe(true)
    expect(apiEventSchema.safeParse({ ...event, [member]: undefined }).success).toBe(false)
    expect(apiEventSchema.safeParse({ ...event, [member]: null }).success).toBe(false)
  })

  it('allows every other member to be absent or null, with the same result [R25, R38]', () => {
    const optional = Object.keys(apiEventSchema.shape).filter((member) => !(member in event))
    expect(optional).toHaveLength(22 - 8)
    const nulls = { ...event, ...Object.fromEntries(optional.map((member) => [member, null])) }
    expect(apiEventSchema.parse(nulls)).toEqual(nulls)
  })

  it('passes unknown types, states, precisions, phases and members through [R16, R22, R26, R27, R33]', () => {
    const strange = {
      ...event,
      eventType: 'Quantum.Leap ⚛',
      category: 'physics',
      evidenceState: 'overheard',
      confirmationState: 'probable',
      sourcePublishedPrecision: 'century',
      sourceUpdatedPrecision: 'decade',
      incident: { ...incident, phase: 'simmering', mood: 'calm', root: { ...root, more: 1 } },
      benchmark: { current: manyProperties(51), previous: null, next: {} },
      another: { deep: [1] },
    }
    expect(apiEventSchema.parse(strange)).toEqual(strange)
  })

  it.each([
    ['an invalid link', { sourceUrl: 'northwind-ai.example' }],
    ['an empty link', { sourceUrl: '' }],
    ['an id with a control character', { id: 'evt\n1' }],
    ['a time without a zone', { firstObservedAt: '2026-09-03T14:12:08' }],
    ['a date instead of a timestamp', { correctedAt: '2026-09-03' }],
    ['an incident without its root', { incident: { ...incident, root: undefined } }],
    ['an incident at position 0', { incident: { ...incident, sequence: 0 } }],
    ['a benchmark that is a string', { benchmark: { current: 'fast' } }],
  ])('rejects %s [R19]', (_, fault) => {
    expect(apiEventSchema.safeParse({ ...event, ...fault }).success).toBe(false)
  })

  it('accepts an incident timeline [R50]', () => {
    const item = { ...root, eventType: 'outage_started', phase: 'started', sequence: 1 }
    const detailed = { ...event, incident: { ...incident, timeline: [item] } }
    expect(apiEventSchema.parse(detailed)).toEqual(detailed)
    const { sequence: _, ...broken } = item
    expect(
      apiEventSchema.safeParse({ ...event, incident: { ...incident, timeline: [broken] } }).success,
    ).toBe(false)
  })
})

describe('an account event', () => {
  it.each(Object.keys(accountEvent))('requires %s', (member) => {
    expect(accountEventSchema.parse(accountEvent)).toEqual(accountEvent)
    expect(accountEventSchema.safeParse({ ...accountEvent, [member]: undefined }).success).toBe(
      false,
    )
  })

  it('passes unknown types and states through [R58]', () => {
    const strange = {
      ...accountEvent,
      type: 'mood.changed',
      integrityState: 'doubted',
      subject: { ...accountEvent.subject, type: 'mood', since: 1 },
    }
    expect(accountEventSchema.parse(strange)).toEqual(strange)
  })

  it.each([
    ['a short ref', { eventRef: 'event_0a' }],
    ['a ref in upper case', { eventRef: `event_${'0A'.repeat(24)}` }],
    ['an event as its subject', { correctionOfEventRef: accountEvent.subject.ref }],
    ['data that is a string', { data: 'text' }],
  ])('rejects %s', (_, fault) => {
    expect(accountEventSchema.safeParse({ ...accountEvent, ...fault }).success).toBe(false)
  })
})

describe('a model fact', () => {
  const deprecation = {
    id: 'evt_1',
    provider: 'northwind-ai',
    modelId: 'northwind-1',
    fact: 'deprecated',
    announcedAt: '2026-09-03T14:12:08Z',
    sourceUrl: 'https://northwind-ai.example/1',
    evidenceState: 'documented',
  }

  it.each(Object.keys(deprecation))('requires %s for a deprecation, and nothing else', (member) => {
    expect(deprecationSchema.parse(deprecation)).toEqual(deprecation)
    expect(deprecationSchema.safeParse({ ...deprecation, [member]: undefined }).success).toBe(false)
  })

  it.each([
    { result: 'unknown' },
    { result: 'ambiguous', candidates: [{ provider: 'a', model: 'm' }] },
    { result: 'found', lifecycle: { state: 'deprecated', daysRemaining: 3 }, matchedBy: 'alias' },
    { result: 'rumoured', lifecycle: { state: 'dormant' }, mood: 'calm' },
  ])('accepts the model check %o', (answer) => {
    expect(modelCheckSchema.parse(answer)).toEqual(answer)
  })

  it.each([
    {},
    { result: 'ambiguous', candidates: ['a/m'] },
    { result: 'found', lifecycle: {} },
    { result: 'found', event: { id: 'evt_1' } },
  ])('rejects the model check %o', (answer) => {
    expect(modelCheckSchema.safeParse(answer).success).toBe(false)
  })
})

describe('a response', () => {
  it.each([
    { requests: -1 },
    { requests: 1.5 },
    { limit: 0 },
    { period: '2026-13' },
    { resetsAt: 1_790_000_000 },
  ])('rejects the usage %o', (fault) => {
    expect(usageSchema.parse(usage)).toEqual(usage)
    expect(usageSchema.safeParse({ ...usage, ...fault }).success).toBe(false)
  })

  it('accepts any error code', () => {
    const error = { error: 'The cursor is not one of ours.', code: 'invalid_request' }
    expect(apiErrorSchema.parse(error)).toEqual(error)
    expect(apiErrorSchema.parse({ ...error, code: 'new' }).code).toBe('new')
    expect(apiErrorSchema.safeParse({ error: 'no code' }).success).toBe(false)
  })

  it('converts to JSON Schema', () => {
    const schemas = [apiEventSchema, accountEventSchema, usageSchema]
    for (const schema of schemas) expect(z.toJSONSchema(schema).type).toBe('object')
  })
})

describe('toFeedEvent', () => {
  it('moves the members that push shares into the envelope, and the rest beside it [R36]', () => {
    const facts = { correctedAt: '2026-09-04T00:00:00Z', incident, another: [1] }
    const shared = { summary: 'More.', subjectType: 'model', subjectKey: 'm-1', category: 'models' }
    const mapped = toFeedEvent({ ...event, ...shared, benchmark: { current: {} }, ...facts })
    expect(mapped).toEqual({
      schema_version: '1.0',
      id: 'evt_1',
      type: 'model_release',
      created_at: event.firstObservedAt,
      data: {
        provider: 'northwind-ai',
        category: 'models',
        subject: { type: 'model', key: 'm-1' },
        title: 'A model',
        summary: 'More.',
        evidence: 'documented',
        confirmation: 'confirmed',
        source_url: event.sourceUrl,
        source_published_at: null,
        benchmark: { current: {} },
      },
      pull: facts,
    })
    expect(feedEventSchema.safeParse(mapped).success).toBe(true)
  })

  it('converts the smallest valid API event, without another time [R16, R24, R76]', () => {
    expect(toFeedEvent(event).data).toMatchObject({
      category: 'other',
      subject: { type: null, key: null },
      summary: null,
      source_published_at: null,
    })
    expect(feedEventSchema.safeParse(toFeedEvent(event)).success).toBe(true)
  })
})

function manyProperties(count: number): Record<string, unknown> {
  return Object.fromEntries(Array.from({ length: count }, (_, at) => [`property${at}`, at]))
}

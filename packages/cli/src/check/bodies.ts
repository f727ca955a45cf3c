import type { FeedEvent } from '@feed-receiver/core'
import { randomBytes } from 'node:crypto'
import type { Delivery } from './target.ts'
import type { Runs } from './texts.ts'
import { accepts, pausesNot } from './verdict.ts'

/** Bodies that only a receiver can verify that verifies the bytes as they were sent. */
const rawBodies = {
  raw_whitespace: accepts({
    body: (event) => `\r\n\t ${JSON.stringify(event, null, '\t ')} \n\n`,
  }),
  raw_key_order: accepts({
    body: (event) =>
      withCurrent(Object.fromEntries(Object.entries(event).toReversed()), '{"20":"b","10":"a"}'),
  }),
  raw_escapes: accepts(current(String.raw`{"l\u0061bel":"\u0041\/\u00e9\ud83d\ude80"}`)),
  raw_non_ascii: accepts({ data: { title: 'Prüfung – 模型 🚀 \u2028 e\u0301' } }),
  raw_duplicate_keys: accepts(current('{"rank":1,"rank":2}')),
  raw_numbers: accepts(current('{"votes":9007199254740993,"rank":1.0,"cost":1E2,"delta":-0}')),
} satisfies Runs

/** Events that are new to the receiver, which the interface announces. */
const newEvents = {
  unknown_type: accepts({ body: (event) => ({ ...event, type: 'check_of_an_unknown_type' }) }),
  unknown_members: accepts({
    body(event) {
      const data = { ...event.data, severity: 3, tags: ['a', { b: null }] }
      return { ...event, data, trace: { id: 'abc' } }
    },
  }),
  unknown_values: accepts({ data: { category: 'datasets', evidence: 'repository_commit' } }),
  null_members: accepts({
    data: { subject: { type: null, key: null }, summary: null, source_published_at: null },
  }),
  schema_version: pausesNot({ body: (event) => ({ ...event, schema_version: '2.0' }) }),
} satisfies Runs

/** Authentic deliveries that are hard or impossible to read: none may pause the feed. */
const oddBodies = {
  not_json: pausesNot.each({
    text: { body: () => 'This is no JSON.' },
    'JSON cut short': { body: (event) => JSON.stringify(event).slice(0, -9) },
    nothing: { body: () => '' },
  }),
  not_an_event: pausesNot.each({
    'an empty object': { body: () => '{}' },
    'an empty list': { body: () => '[]' },
    null: { body: () => 'null' },
    'a number': { body: () => '1' },
    'no id': { body: (event) => ({ ...event, id: undefined }) },
    'an id that is a number': { body: (event) => ({ ...event, id: 5 }) },
    'no data': { body: (event) => ({ ...event, data: undefined }) },
  }),
  byte_order_mark: pausesNot.each({
    'byte order mark': { body: (event) => `\uFEFF${JSON.stringify(event)}` },
  }),
  nul: pausesNot.each({
    'an escaped NUL': { data: { title: 'a\0b' } },
    'a raw NUL': {
      body: (event) => JSON.stringify(event).replace('conformance', 'con\0formance'),
    },
  }),
  lone_surrogate: pausesNot.each({
    'a lone surrogate': { data: { title: 'a\ud800b' } },
    'surrogates in the wrong order': { data: { title: '\udc00\ud800' } },
  }),
  invalid_utf8: pausesNot.each({ 'a byte FF': withByte(0xff), 'a byte C0': withByte(0xc0) }),
  deep: pausesNot.each({
    'lists in an event': current(`{"value":${'['.repeat(10_000)}${']'.repeat(10_000)}}`),
  }),
  huge_numbers: pausesNot.each({
    '1e400': current('{"value":1e400}'),
    'five thousand digits': current(`{"value":${'9'.repeat(5_000)}}`),
  }),
  // At random: an index would compress a pattern, and take it.
  long_id: pausesNot.each({
    'long id': {
      body: (event) => ({ ...event, id: `${event.id}_${randomBytes(1_500).toString('hex')}` }),
    },
  }),
  member_names: pausesNot.each({
    'a member __proto__': current('{"value":{"__proto__":{"id":null}}}'),
    'type toString': { body: (event) => ({ ...event, type: 'toString' }) },
    'type constructor': { body: (event) => ({ ...event, type: 'constructor' }) },
  }),
} satisfies Runs

export const bodyChecks = { ...rawBodies, ...newEvents, ...oddBodies }

/**
 * An event whose `benchmark.current` is this JSON: the interface leaves its names and values open, so
 * a receiver has no other reason to reject them.
 */
function current(json: string): Delivery {
  return { body: (event) => withCurrent(event, json) }
}

function withCurrent(event: object & { data?: object }, json: string): string {
  const data = { ...event.data, benchmark: { current: 'here' } }
  return JSON.stringify({ ...event, data }).replace('"here"', () => json)
}

function withByte(byte: number): Delivery {
  return {
    data: { title: 'a~b' },
    body(event: FeedEvent) {
      const bytes = Buffer.from(JSON.stringify(event))
      bytes[bytes.indexOf('~')] = byte
      return bytes
    },
  }
}

import type { FeedEvent } from '@feed-receiver/core'
import { randomBytes } from 'node:crypto'
import type { Check, Checks } from './check.ts'
import type { Delivery } from './target.ts'
import { notPausing } from './verdict.ts'

/** Bodies that only a receiver can verify that verifies the bytes as they were sent. */
export const rawBodyChecks: Checks = {
  raw_whitespace: rawBody('white space within and around it', {
    body: (event) => `\r\n\t ${JSON.stringify(event, null, '\t ')} \n\n`,
  }),
  raw_key_order: rawBody('members in an unusual order', {
    body: (event) =>
      withCurrent(Object.fromEntries(Object.entries(event).toReversed()), '{"20":"b","10":"a"}'),
  }),
  raw_escapes: rawBody('escapes that no JSON writer would choose', {
    body: (event) => withCurrent(event, String.raw`{"l\u0061bel":"\u0041\/\u00e9\ud83d\ude80"}`),
  }),
  raw_non_ascii: rawBody('characters beyond ASCII', {
    data: { title: 'Prüfung – 模型 🚀 \u2028 e\u0301' },
  }),
  raw_duplicate_keys: rawBody('a member that is there twice', {
    body: (event) => withCurrent(event, '{"rank":1,"rank":2}'),
  }),
  raw_numbers: rawBody('numbers that a double cannot hold', {
    body: (event) =>
      withCurrent(event, '{"votes":9007199254740993,"rank":1.0,"cost":1E2,"delta":-0}'),
  }),
}

function rawBody(what: string, send: Delivery): Check {
  return {
    title: `Accepts a body with ${what}`,
    why:
      'The signature covers the bytes that were sent. JSON that is parsed and written anew has ' +
      'other bytes, and the 401 that follows pauses the feed.',
    fix:
      'Verify the body as it came off the wire, before any parser: in Express with express.raw, ' +
      'elsewhere with whatever gives the bytes of the request.',
    send,
  }
}

/** Events that are new to the receiver, which the interface announces. */
export const eventChecks: Checks = {
  unknown_type: {
    title: 'Accepts an event of a type that nobody knows',
    why: 'The set of types is open: a new one would be refused, or pause the feed, on its first day.',
    fix: 'Keep events of unknown types and answer 2xx; let no handler be called for them.',
    send: { body: (event) => ({ ...event, type: 'check_of_an_unknown_type' }) },
  },
  unknown_members: {
    title: 'Accepts an event with members that nobody knows',
    why: 'Members are added without a new version.',
    fix: 'Validate the members that you need, and let the others be.',
    send: {
      body(event) {
        const data = { ...event.data, severity: 3, tags: ['a', { b: null }] }
        return { ...event, data, trace: { id: 'abc' } }
      },
    },
  },
  unknown_values: {
    title: 'Accepts an unknown category and an unknown evidence',
    why: 'Both sets of values are open.',
    fix: 'Take any string for data.category and data.evidence.',
    send: { data: { category: 'datasets', evidence: 'repository_commit' } },
  },
  null_members: {
    title: 'Accepts null wherever the interface allows it',
    why: 'Most events have no summary, no time of publication or no subject.',
    fix:
      'Allow null for data.summary, data.source_published_at, data.subject.type and ' +
      'data.subject.key.',
    send: {
      data: { subject: { type: null, key: null }, summary: null, source_published_at: null },
    },
  },
  schema_version: {
    title: 'Does not pause the feed over schema_version 2.0',
    why: 'One delivery of a later version would stop all those that you can read.',
    fix: 'Keep it aside and answer 202.',
    send: { body: (event) => ({ ...event, schema_version: '2.0' }) },
    expect: notPausing,
  },
}

/** Authentic deliveries that are hard or impossible to read: none may pause the feed. */
export const oddBodyChecks: Checks = {
  not_json: oddBody('a body that is not JSON', {
    text: { body: () => 'This is no JSON.' },
    'JSON cut short': { body: (event) => JSON.stringify(event).slice(0, -9) },
    nothing: { body: () => '' },
  }),
  not_an_event: oddBody('JSON that is no event', {
    'an empty object': { body: () => '{}' },
    'an empty list': { body: () => '[]' },
    null: { body: () => 'null' },
    'a number': { body: () => '1' },
    'no id': { body: (event) => ({ ...event, id: undefined }) },
    'an id that is a number': { body: (event) => ({ ...event, id: 5 }) },
    'no data': { body: (event) => ({ ...event, data: undefined }) },
  }),
  byte_order_mark: oddBody('a byte order mark', {
    'byte order mark': { body: (event) => `\uFEFF${JSON.stringify(event)}` },
  }),
  nul: oddBody('a NUL', {
    'an escaped NUL': { data: { title: 'a\0b' } },
    'a raw NUL': {
      body: (event) => JSON.stringify(event).replace('conformance', 'con\0formance'),
    },
  }),
  lone_surrogate: oddBody('half a character', {
    'a lone surrogate': { data: { title: 'a\ud800b' } },
    'surrogates in the wrong order': { data: { title: '\udc00\ud800' } },
  }),
  invalid_utf8: oddBody('bytes that are no UTF-8', {
    'a byte FF': { data: { title: 'a~b' }, body: (event) => withByte(event, 0xff) },
    'a byte C0': { data: { title: 'a~b' }, body: (event) => withByte(event, 0xc0) },
  }),
  deep: oddBody('ten thousand levels', {
    'lists in an event': { body: (event) => withValue(event, nested(10_000)) },
  }),
  huge_numbers: oddBody('numbers beyond all bounds', {
    '1e400': { body: (event) => withValue(event, '1e400') },
    'five thousand digits': { body: (event) => withValue(event, '9'.repeat(5_000)) },
  }),
  long_id: oddBody('an id of three thousand characters', {
    // At random: an index would compress a pattern, and take it.
    'long id': {
      body: (event) => ({ ...event, id: `${event.id}_${randomBytes(1_500).toString('hex')}` }),
    },
  }),
  member_names: oddBody('names that JavaScript has a meaning for', {
    'a member __proto__': { body: (event) => withValue(event, '{"__proto__":{"id":null}}') },
    'type toString': { body: (event) => ({ ...event, type: 'toString' }) },
    'type constructor': { body: (event) => ({ ...event, type: 'constructor' }) },
  }),
}

function oddBody(what: string, each: Record<string, Delivery>): Check {
  return {
    title: `Does not pause the feed over ${what}`,
    why:
      'The signature says that the service sent this. A 400 over one odd body stops the whole ' +
      'feed, and a 500 has it sent eight times and then lost.',
    fix:
      'Parse only after verifying and catch what parsing and storing throw. Keep the bytes of ' +
      'what you cannot read aside, as bytes, and answer 202.',
    each,
    expect: notPausing,
  }
}

/**
 * An event whose `benchmark.current` is this JSON: the interface leaves its names and values open, so
 * a receiver has no other reason to reject them.
 */
function withCurrent(event: object & { data?: object }, json: string): string {
  const data = { ...event.data, benchmark: { current: 'here' } }
  return JSON.stringify({ ...event, data }).replace('"here"', () => json)
}

function withValue(event: FeedEvent, json: string): string {
  return withCurrent(event, `{"value":${json}}`)
}

function nested(levels: number): string {
  return '['.repeat(levels) + ']'.repeat(levels)
}

function withByte(event: FeedEvent, byte: number): Uint8Array {
  const bytes = Buffer.from(JSON.stringify(event))
  bytes[bytes.indexOf('~')] = byte
  return bytes
}

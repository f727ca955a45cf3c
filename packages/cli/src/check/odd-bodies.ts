import type { FeedEvent } from '@feed-receiver/core'
import { randomBytes } from 'node:crypto'
import type { Runs } from './rows.ts'
import type { Delivery } from './target.ts'
import { judges, sending } from './verdict.ts'

const { accepts, refuses, pausesNot } = judges

/** Bodies that cannot be written down as data. */
export const oddBodies = {
  raw_whitespace: sending(accepts, {
    write: (event) => `\r\n\t ${JSON.stringify(event, null, '\t ')} \n\n`,
  }),
  raw_key_order: sending(accepts, {
    current: '{"20":"b","10":"a"}',
    change: (event) => Object.fromEntries(Object.entries(event).toReversed()),
  }),
  large_body: sending(accepts, {
    data: { benchmark: { current: { notes: 'x'.repeat(900_000) } } },
  }),
  tampered_body: sending(refuses, {
    each: {
      'another title': {
        tamper: (body) => Buffer.from(body.toString().replace('to be ignored', 'to be heeded')),
      },
      'one byte less': { tamper: (body) => body.subarray(0, -1) },
      'one byte more': { tamper: (body) => Buffer.concat([body, Buffer.from('\n')]) },
      'an empty body': { tamper: () => Buffer.alloc(0) },
    },
  }),
  not_json: sending(pausesNot, {
    each: {
      text: { text: 'This is no JSON.' },
      'JSON cut short': { write: (event) => JSON.stringify(event).slice(0, -9) },
      nothing: { text: '' },
    },
  }),
  nul: sending(pausesNot, {
    each: {
      'an escaped NUL': { data: { title: 'a\0b' } },
      'a raw NUL': {
        write: (event) => JSON.stringify(event).replace('conformance', 'con\0formance'),
      },
    },
  }),
  lone_surrogate: sending(pausesNot, {
    each: {
      'a lone surrogate': { data: { title: 'a\ud800b' } },
      'surrogates in the wrong order': { data: { title: '\udc00\ud800' } },
    },
  }),
  invalid_utf8: sending(pausesNot, {
    each: { 'a byte FF': withByte(0xff), 'a byte C0': withByte(0xc0) },
  }),
  deep: sending(pausesNot, {
    each: {
      'lists in an event': { current: `{"value":${'['.repeat(10_000)}${']'.repeat(10_000)}}` },
    },
  }),
  huge_numbers: sending(pausesNot, {
    each: {
      '1e400': { current: '{"value":1e400}' },
      'five thousand digits': { current: `{"value":${'9'.repeat(5_000)}}` },
    },
  }),
  // At random: an index would compress a pattern, and take it.
  long_id: sending(pausesNot, {
    each: {
      'long id': {
        change: (event) => ({ ...event, id: `${event.id}_${randomBytes(1_500).toString('hex')}` }),
      },
    },
  }),
} satisfies Runs

function withByte(byte: number): Delivery {
  return {
    data: { title: 'a~b' },
    write(event: FeedEvent) {
      const bytes = Buffer.from(JSON.stringify(event))
      bytes[bytes.indexOf('~')] = byte
      return bytes
    },
  }
}

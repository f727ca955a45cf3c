import { randomBytes } from 'node:crypto'
import { evaluateEach, group, notPausing, sendingEach, type Check } from '../verdict.ts'

const oddBody = {
  why: 'The signature proves that the service sent this body. A 400 pauses the whole feed, and after a 500 the event is lost when its eight attempts have failed.',
  fix: 'Parse after verifying, and catch errors of parsing and storing. Put the raw body of an unreadable delivery in quarantine, and answer 202.',
}

/** Signed deliveries that a receiver cannot handle. */
export const oddBodyChecks: Check[] = [
  ...group('Odd bodies', 'in_turn', {
    not_json: {
      title: 'Does not pause the feed over a body that is not JSON',
      ...oddBody,
      run: sendingEach(notPausing, {
        text: { body: () => 'This is not JSON.' },
        'JSON cut short': { body: (json) => json.slice(0, -9) },
        'an empty body': { body: () => '' },
      }),
    },
    not_an_event: {
      title: 'Does not pause the feed over JSON that is not an event',
      ...oddBody,
      run: sendingEach(notPausing, {
        'an empty object': { body: () => '{}' },
        'an empty list': { body: () => '[]' },
        null: { body: () => 'null' },
        'a number': { body: () => '1' },
        'no id': { members: { id: undefined } },
        'an id that is a number': { members: { id: 5 } },
        'no data': { members: { data: undefined } },
      }),
    },
    byte_order_mark: {
      title: 'Does not pause the feed over a byte order mark',
      ...oddBody,
      run: sendingEach(notPausing, { 'byte order mark': { body: (json) => `\uFEFF${json}` } }),
    },
    nul: {
      title: 'Does not pause the feed over a NUL character',
      ...oddBody,
      run: sendingEach(notPausing, {
        'an escaped NUL': { data: { title: 'a\u0000b' } },
        'a raw NUL': { body: (json) => json.replace('conformance', 'con\u0000formance') },
      }),
    },
    lone_surrogate: {
      title: 'Does not pause the feed over a lone surrogate',
      ...oddBody,
      run: sendingEach(notPausing, {
        'a lone surrogate': {
          data: { title: 'a~b' },
          body: (json) => json.replace('~', '\\ud800'),
        },
        'surrogates in the wrong order': {
          data: { title: '~' },
          body: (json) => json.replace('~', '\\udc00\\ud800'),
        },
      }),
    },
    invalid_utf8: {
      title: 'Does not pause the feed over bytes that are not UTF-8',
      ...oddBody,
      run: sendingEach(notPausing, {
        'a byte FF': { data: { title: 'a~b' }, body: (json) => withByte(json, 0xff) },
        'a byte C0': { data: { title: 'a~b' }, body: (json) => withByte(json, 0xc0) },
      }),
    },
    deep: {
      title: 'Does not pause the feed over 10,000 levels of nesting',
      ...oddBody,
      run: sendingEach(notPausing, {
        'lists in an event': { current: `{"value":${'['.repeat(10_000)}${']'.repeat(10_000)}}` },
      }),
    },
    huge_numbers: {
      title: 'Does not pause the feed over numbers out of range',
      ...oddBody,
      run: sendingEach(notPausing, {
        '1e400': { current: '{"value":1e400}' },
        'five thousand digits': { current: `{"value":${'9'.repeat(5_000)}}` },
      }),
    },
    long_id: {
      title: 'Does not pause the feed over an id of 3,000 characters',
      ...oddBody,
      async run({ deliver, makeEvent }) {
        const event = makeEvent()
        // Random, because an index would compress a pattern and accept it.
        const id = `${event.id}_${randomBytes(1_500).toString('hex')}`
        return evaluateEach({ 'long id': deliver({ event: { ...event, id } }) }, notPausing)
      },
    },
    member_names: {
      title: 'Does not pause the feed over special names of JavaScript',
      ...oddBody,
      run: sendingEach(notPausing, {
        'a member __proto__': { current: '{"value":{"__proto__":{"id":null}}}' },
        'type toString': { members: { type: 'toString' } },
        'type constructor': { members: { type: 'constructor' } },
      }),
    },
  }),
]

/** Replaces the tilde of a text by a byte that UTF-8 does not allow there. */
function withByte(json: string, byte: number): Buffer {
  const [before = '', after = ''] = json.split('~')
  return Buffer.concat([Buffer.from(before), Buffer.of(byte), Buffer.from(after)])
}

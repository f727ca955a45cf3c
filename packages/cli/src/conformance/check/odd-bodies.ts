import { randomBytes } from 'node:crypto'
import type { Delivery } from './target.ts'
import { evaluateEach, group, notPausing, sendingEach, type Check } from './verdict.ts'

/** A check that sends odd bodies concurrently, by their labels. */
const oddBody = (what: string, deliveries: Record<string, Delivery>) => ({
  title: `Does not pause the feed over ${what}`,
  why: 'The signature proves that the service sent this body. A 400 pauses the whole feed, and after a 500 the event is lost when its eight attempts have failed.',
  fix: 'Parse after verifying, and catch errors of parsing and storing. Put the raw body of an unreadable delivery in quarantine, and answer 202.',
  run: sendingEach(notPausing, deliveries),
})

/** Signed deliveries that a receiver cannot handle. */
export const oddBodyChecks: Check[] = [
  ...group('Odd bodies', 'in_turn', {
    not_json: oddBody('a body that is not JSON', {
      text: { body: () => 'This is not JSON.' },
      'JSON cut short': { body: (json) => json.slice(0, -9) },
      'an empty body': { body: () => '' },
    }),
    not_an_event: oddBody('JSON that is not an event', {
      'an empty object': { body: () => '{}' },
      'an empty list': { body: () => '[]' },
      null: { body: () => 'null' },
      'a number': { body: () => '1' },
      'no id': { members: { id: undefined } },
      'an id that is a number': { members: { id: 5 } },
      'no data': { members: { data: undefined } },
    }),
    byte_order_mark: oddBody('a byte order mark', {
      'byte order mark': { body: (json) => `\uFEFF${json}` },
    }),
    nul: oddBody('a NUL character', {
      'an escaped NUL': { data: { title: 'a\u0000b' } },
      'a raw NUL': { body: (json) => json.replace('conformance', 'con\u0000formance') },
    }),
    lone_surrogate: oddBody('a lone surrogate', {
      'a lone surrogate': {
        data: { title: 'a~b' },
        body: (json) => json.replace('~', '\\ud800'),
      },
      'surrogates in the wrong order': {
        data: { title: '~' },
        body: (json) => json.replace('~', '\\udc00\\ud800'),
      },
    }),
    invalid_utf8: oddBody('bytes that are not UTF-8', {
      'a byte FF': { data: { title: 'a~b' }, body: (json) => withByte(json, 0xff) },
      'a byte C0': { data: { title: 'a~b' }, body: (json) => withByte(json, 0xc0) },
    }),
    deep: oddBody('10,000 levels of nesting', {
      'lists in an event': { current: `{"value":${'['.repeat(10_000)}${']'.repeat(10_000)}}` },
    }),
    huge_numbers: oddBody('numbers out of range', {
      '1e400': { current: '{"value":1e400}' },
      'five thousand digits': { current: `{"value":${'9'.repeat(5_000)}}` },
    }),
    long_id: {
      ...oddBody('an id of 3,000 characters', {}),
      async run({ deliver, makeEvent }) {
        const event = makeEvent()
        // Random, because an index would compress a pattern and accept it.
        const id = `${event.id}_${randomBytes(1_500).toString('hex')}`
        return evaluateEach({ 'long id': deliver({ event: { ...event, id } }) }, notPausing)
      },
    },
    member_names: oddBody('special names of JavaScript', {
      'a member __proto__': { current: '{"value":{"__proto__":{"id":null}}}' },
      'type toString': { members: { type: 'toString' } },
      'type constructor': { members: { type: 'constructor' } },
    }),
  }),
]

/** Replaces the tilde of a text by a byte that UTF-8 does not allow there. */
function withByte(json: string, byte: number): Buffer {
  const [before = '', after = ''] = json.split('~')
  return Buffer.concat([Buffer.from(before), Buffer.of(byte), Buffer.from(after)])
}

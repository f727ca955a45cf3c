import { randomBytes } from 'node:crypto'
import type { CheckGroup } from './check.ts'
import type { Target } from './target.ts'
import { judgeEach, notPausing } from './verdict.ts'

const why =
  'The signature says that the service sent this. A 400 over one odd body stops the whole feed, ' +
  'and a 500 has it sent eight times and then lost.'
const fix =
  'Parse only after verifying and catch what parsing and storing throw. Keep the bytes of what ' +
  'you cannot read aside, as bytes, and answer 202.'

type Body = string | Uint8Array

/** Authentic deliveries that are hard or impossible to read: none may pause the feed. */
export const oddBodyChecks: CheckGroup = {
  title: 'Odd bodies',
  pace: 'in_turn',
  checks: [
    oddBodyCheck('not_json', 'a body that is not JSON', ({ makeEvent }) => ({
      text: 'This is no JSON.',
      'JSON cut short': JSON.stringify(makeEvent()).slice(0, -9),
      nothing: '',
    })),
    oddBodyCheck('not_an_event', 'JSON that is no event', ({ makeEvent }) => ({
      'an empty object': '{}',
      'an empty list': '[]',
      null: 'null',
      'a number': '1',
      'no id': JSON.stringify({ ...makeEvent(), id: undefined }),
      'an id that is a number': JSON.stringify({ ...makeEvent(), id: 5 }),
      'no data': JSON.stringify({ ...makeEvent(), data: undefined }),
    })),
    oddBodyCheck('byte_order_mark', 'a byte order mark', ({ makeEvent }) => ({
      'byte order mark': `\uFEFF${JSON.stringify(makeEvent())}`,
    })),
    oddBodyCheck('nul', 'a NUL', ({ makeEvent }) => ({
      'an escaped NUL': JSON.stringify(makeEvent({ data: { title: 'a\0b' } })),
      'a raw NUL': JSON.stringify(makeEvent()).replace('conformance', 'con\0formance'),
    })),
    oddBodyCheck('lone_surrogate', 'half a character', ({ makeEvent }) => ({
      'a lone surrogate': JSON.stringify(makeEvent({ data: { title: 'a\ud800b' } })),
      'surrogates in the wrong order': JSON.stringify(
        makeEvent({ data: { title: '\udc00\ud800' } }),
      ),
    })),
    oddBodyCheck('invalid_utf8', 'bytes that are no UTF-8', ({ makeEvent }) => ({
      'a byte FF': withByte(JSON.stringify(makeEvent({ data: { title: 'a~b' } })), 0xff),
      'a byte C0': withByte(JSON.stringify(makeEvent({ data: { title: 'a~b' } })), 0xc0),
    })),
    oddBodyCheck('deep', 'ten thousand levels', ({ makeEvent }) => ({
      'lists in an event': withCurrent(makeEvent(), `${'['.repeat(levels)}${']'.repeat(levels)}`),
    })),
    oddBodyCheck('huge_numbers', 'numbers beyond all bounds', ({ makeEvent }) => ({
      '1e400': withCurrent(makeEvent(), '1e400'),
      'five thousand digits': withCurrent(makeEvent(), '9'.repeat(5_000)),
    })),
    oddBodyCheck('long_id', 'an id of three thousand characters', ({ makeEvent }) => {
      const { id, ...event } = makeEvent()
      // At random: an index would compress a pattern, and take it.
      return {
        'long id': JSON.stringify({ ...event, id: `${id}_${randomBytes(1_500).toString('hex')}` }),
      }
    }),
    oddBodyCheck('member_names', 'names that JavaScript has a meaning for', ({ makeEvent }) => ({
      'a member __proto__': withCurrent(makeEvent(), '{"__proto__":{"id":null}}'),
      'type toString': JSON.stringify({ ...makeEvent(), type: 'toString' }),
      'type constructor': JSON.stringify({ ...makeEvent(), type: 'constructor' }),
    })),
  ],
}

const levels = 10_000

function oddBodyCheck(
  name: string,
  what: string,
  makeBodies: (target: Target) => Record<string, Body>,
) {
  return {
    name,
    title: `Does not pause the feed over ${what}`,
    why,
    fix,
    run(target: Target) {
      const bodies = Object.entries(makeBodies(target))
      const deliveries = bodies.map(
        ([label, body]) => [label, target.deliver(Buffer.from(body))] as const,
      )
      return judgeEach(Object.fromEntries(deliveries), notPausing)
    },
  }
}

function withCurrent(event: { data: object }, json: string): string {
  const data = { ...event.data, benchmark: { current: { here: true } } }
  return JSON.stringify({ ...event, data }).replace('"here":true', () => `"value":${json}`)
}

function withByte(text: string, byte: number): Uint8Array {
  const bytes = Buffer.from(text)
  bytes[bytes.indexOf('~')] = byte
  return bytes
}

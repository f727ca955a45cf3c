import type { CheckGroup } from './check.ts'
import type { Target } from './target.ts'
import { accepted } from './verdict.ts'

const why =
  'The signature covers the bytes that were sent. JSON that is parsed and written anew has other ' +
  'bytes, and the 401 that follows pauses the feed.'
const fix =
  'Verify the body as it came off the wire, before any parser: in Express with express.raw, ' +
  'elsewhere with whatever gives the bytes of the request.'

/** Bodies that only those can verify who verify the bytes as they were sent. */
export const rawBodyChecks: CheckGroup = {
  title: 'Raw bytes',
  pace: 'together',
  checks: [
    bodyCheck('raw_whitespace', 'white space within and around it', (target) => {
      return `\r\n\t ${JSON.stringify(target.makeEvent(), null, '\t ')} \n\n`
    }),
    bodyCheck('raw_key_order', 'members in an unusual order', (target) => {
      const reversed = Object.fromEntries(Object.entries(target.makeEvent()).toReversed())
      return withMembers(target, '"20":"b","10":"a"', reversed)
    }),
    bodyCheck('raw_escapes', 'escapes that no JSON writer would choose', (target) => {
      return withMembers(target, String.raw`"l\u0061bel":"\u0041\/\u00e9\ud83d\ude80"`)
    }),
    bodyCheck('raw_non_ascii', 'characters beyond ASCII', ({ makeEvent }) => {
      return JSON.stringify(makeEvent({ data: { title: 'Prüfung – 模型 🚀 \u2028 e\u0301' } }))
    }),
    bodyCheck('raw_duplicate_keys', 'a member that is there twice', (target) => {
      return withMembers(target, '"rank":1,"rank":2')
    }),
    bodyCheck('raw_numbers', 'numbers that a double cannot hold', (target) => {
      return withMembers(target, '"votes":9007199254740993,"rank":1.0,"cost":1E2,"delta":-0')
    }),
  ],
}

function bodyCheck(name: string, what: string, makeBody: (target: Target) => string) {
  return {
    name,
    title: `Accepts a body with ${what}`,
    why,
    fix,
    run: async (target: Target) => accepted(await target.deliver(Buffer.from(makeBody(target)))),
  }
}

/**
 * An event whose benchmark has these members: there the interface leaves names and values open, so
 * that a receiver has no other reason to refuse them.
 */
function withMembers(target: Target, members: string, event: object = target.makeEvent()): string {
  const data = { ...target.makeEvent().data, benchmark: { current: { here: true } } }
  return JSON.stringify({ ...event, data }).replace('"here":true', () => members)
}

import { listedStates, type EntryFilter } from '@feed-receiver/inbox'
import { Refusal } from './refusal.ts'

/** Reads a parameter of a URL or a member of a body. An empty one counts as missing. */
export type Say = (name: string) => string | undefined

/** Reads a filter of entries. */
export function readFilter(say: Say): EntryFilter {
  return {
    provider: say('provider'),
    type: say('type'),
    category: say('category'),
    subject: say('subject'),
    state: readOneOf('state', listedStates, say),
    since: say('since'),
    until: say('until'),
    search: say('search'),
    minRevision: readNumber('minRevision', say),
  }
}

/** Reads the start and the size of a page. */
export function readPage(say: Say) {
  return { after: readNumber('after', say), limit: readNumber('limit', say) ?? 50 }
}

export function readNumber(name: string, say: Say): number | undefined {
  const value = say(name)
  if (value === undefined) return undefined
  if (/^\d{1,15}$/.test(value)) return Number(value)
  throw new Refusal(400, 'bad_option', `${name}: use a whole number.`)
}

export function readOneOf<const Value extends string>(
  name: string,
  known: readonly Value[],
  say: Say,
): Value | undefined {
  const value = say(name)
  const found = known.find((one) => one === value)
  if (found !== undefined || value === undefined) return found
  throw new Refusal(400, 'bad_option', `${name}: use one of ${known.join(', ')}.`)
}

/**
 * Reads the texts of an object. PostgreSQL does not store NUL, so it is replaced, and a text with
 * one matches nothing.
 */
export function sayFrom(said: object): Say {
  return (name) => {
    const value: unknown = Reflect.get(said, name)
    if (typeof value !== 'string' || value === '') return undefined
    return value.toWellFormed().replaceAll('\0', '\ufffd')
  }
}

export type JsonObject = Readonly<Record<string, unknown>>

const maxBytes = 256 * 1_024

/**
 * Reads the JSON of a request, up to a maximum size. Requires its content type, because a foreign
 * form could send others.
 */
export async function readJson({ headers, body }: Request): Promise<JsonObject> {
  if (headers.get('content-type')?.split(';')[0] !== 'application/json') {
    throw new Refusal(415, 'not_json', 'Send JSON with the Content-Type application/json.')
  }
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body ?? []) {
    size += chunk.length
    if (size > maxBytes)
      throw new Refusal(413, 'too_large', 'The body is too large. Send at most 256 KiB.')
    chunks.push(chunk)
  }
  const value = parse(Buffer.concat(chunks).toString())
  if (isObject(value)) return value
  throw new Refusal(400, 'not_json', 'The body is not a JSON object.')
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

import type { FeedEvent } from '@feed-receiver/core'
import { SenderError } from '../errors.ts'

/** An event with the data that a delivery needs. */
export interface ReadEvent {
  /** For the headers and the outcome. */
  eventId: string
  isTest: boolean
  body: Uint8Array
}

/**
 * Makes the body of a delivery, once for all attempts: a copy of the given bytes, or the
 * event as JSON. Bytes may have any content; their id and type are read if there are any.
 *
 * @throws SenderError `invalid_event` if there is no id, or if the event cannot be written as JSON.
 */
export function readEvent(event: FeedEvent | Uint8Array, id?: string): ReadEvent {
  const isBytes = event instanceof Uint8Array
  const members: { id?: unknown; type?: unknown } = isBytes ? (readJsonObject(event) ?? {}) : event
  const eventId = id ?? members.id
  if (typeof eventId !== 'string') {
    throw new SenderError('invalid_event', 'The event has no id for the headers.', {
      fix: 'Pass the option `id`.',
    })
  }
  const isTest = members.type === 'destination_test'
  return { eventId, isTest, body: isBytes ? Uint8Array.from(event) : writeJson(event) }
}

/** The members of a body that is a JSON object; undefined for any other body. */
export function readJsonObject(body: Uint8Array): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(body))
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

function writeJson(event: FeedEvent): Uint8Array {
  try {
    return Buffer.from(JSON.stringify(event))
  } catch (cause) {
    throw new SenderError(
      'invalid_event',
      'The event cannot be serialized as JSON. Pass plain data, or the exact bytes to send.',
      { cause },
    )
  }
}

/**
 * Headers that replace the usual ones, by name in any case. A string replaces the value, several
 * strings send the header several times, undefined removes it. Meant for fault injection.
 */
export type DeliveryHeaders = Readonly<Record<string, string | readonly string[] | undefined>>

/**
 * Makes the headers of one attempt as a flat list of names and values.
 *
 * @throws SenderError `invalid_header` if HTTP cannot carry a name or value unchanged: characters
 * beyond latin1, control characters, or white space around a value.
 */
export function deliveryHeaders(
  { eventId, signature, userAgent }: { eventId: string; signature: string; userAgent: string },
  headers: DeliveryHeaders | undefined,
): string[] {
  const key = `feed-event-${eventId}`
  const usual = ['Content-Type', 'application/json', 'Feed-Signature', signature]
  usual.push('Feed-Event-Id', eventId, 'Idempotency-Key', key, 'User-Agent', userAgent)
  const lines = headers ? replaceLines(usual, headers) : usual
  for (let at = 0; at < lines.length; at += 2) checkHeader(lines[at] ?? '', lines[at + 1] ?? '')
  return lines
}

function replaceLines(usual: string[], headers: DeliveryHeaders): string[] {
  const replaced = new Set(Object.keys(headers).map((name) => name.toLowerCase()))
  const kept = usual.filter((_, at) => !replaced.has((usual[at - (at % 2)] ?? '').toLowerCase()))
  const given = Object.entries(headers).flatMap(([name, value = []]) =>
    [value].flat().flatMap((each) => [name, each]),
  )
  return [...kept, ...given]
}

const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
const fieldValue = /^(?:[\x21-\x7e\x80-\xff](?:[\t\x20-\x7e\x80-\xff]*[\x21-\x7e\x80-\xff])?)?$/

// The value is not quoted, because it may be a signature.
function checkHeader(name: string, value: string): void {
  if (!token.test(name)) {
    throw new SenderError(
      'invalid_header',
      `${JSON.stringify(name)} is not a valid header name. Correct it in the option headers.`,
    )
  }
  if (fieldValue.test(value)) return
  throw new SenderError(
    'invalid_header',
    `The value of the header ${name} is not valid in HTTP: it has characters outside latin1, ` +
      'control characters, or white space around it.',
    {
      fix:
        'If it contains the event id, set Feed-Event-Id and Idempotency-Key in `headers`, or set them ' +
        'to undefined to omit them.',
    },
  )
}

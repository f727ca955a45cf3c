import type { FeedEvent } from '@feed-receiver/core'
import { SenderError } from '../errors.ts'

/** An event as deliveries need it. */
export interface ReadEvent {
  /** For the headers and the outcome (R165, R166). */
  eventId: string
  isTest: boolean
  body: Uint8Array
}

/**
 * Makes the bytes of a delivery, once for all attempts (R164): those given, copied, or the JSON of the
 * event. Bytes may be anything; their id and type are looked for and may be missing.
 *
 * @throws SenderError `invalid_event` where no id is found or given, or the event cannot be written as JSON.
 */
export function readEvent(event: FeedEvent | Uint8Array, id?: string): ReadEvent {
  const isBytes = event instanceof Uint8Array
  const members: { id?: unknown; type?: unknown } = isBytes ? (readJsonObject(event) ?? {}) : event
  const eventId = id ?? members.id
  if (typeof eventId !== 'string') {
    throw new SenderError('invalid_event', 'No event id was found for the headers.', {
      advice: 'Give it as the option `id`.',
    })
  }
  const isTest = members.type === 'destination_test'
  return { eventId, isTest, body: isBytes ? Uint8Array.from(event) : writeJson(event) }
}

/** The members of a body that is a JSON object, and undefined for any other. */
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
      'The event cannot be written as JSON. Give plain data, or the exact bytes to send.',
      { cause },
    )
  }
}

import type { FeedEvent } from '@feed-receiver/core'
import { SenderError } from './errors.ts'
import type { Target } from './target-reader.ts'

/** What stays the same in every attempt of one delivery. */
export interface PreparedDelivery {
  /** For the headers and the outcome (R165, R166). */
  eventId: string
  isTest: boolean
  body: Uint8Array
  target: Target
}

export interface PrepareOptions {
  target: Target
  id?: string | undefined
}

/**
 * Makes the bytes of a delivery, once for all attempts (R164): those given, copied, or the JSON of the
 * event. Bytes may be anything; their id and type are looked for and may be missing.
 *
 * @throws SenderError `invalid_event` where no id is found or given, or the event cannot be written as JSON.
 */
export function prepareDelivery(
  event: FeedEvent | Uint8Array,
  { target, id }: PrepareOptions,
): PreparedDelivery {
  const isBytes = event instanceof Uint8Array
  const { id: ownId, type } = isBytes ? peek(event) : event
  const eventId = id ?? ownId
  if (typeof eventId !== 'string') {
    throw new SenderError('invalid_event', 'No event id was found for the headers.', {
      advice: 'Give it as the option `id`.',
    })
  }
  return {
    eventId,
    isTest: type === 'destination_test',
    body: isBytes ? Uint8Array.from(event) : writeJson(event),
    target,
  }
}

/** The id and type of what may be an event, or neither. */
function peek(body: Uint8Array): { id?: unknown; type?: unknown } {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(body))
    return typeof value === 'object' && value !== null ? value : {}
  } catch {
    return {}
  }
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

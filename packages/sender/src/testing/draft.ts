import type { FeedEvent } from '@feed-receiver/core'
import type { DeliveryHeaders } from '../attempt/delivery-headers.ts'
import { readEvent } from '../attempt/read-event.ts'
import type { RecordedDelivery } from './record-deliveries.ts'

/** A delivery before it is made, for faults to change. */
export interface Draft {
  id: string
  body: Uint8Array
  /** What is signed in place of the body. */
  signedBody?: Uint8Array
  secret: string
  /** From the real time to the one that is signed. */
  offsetSeconds: number
  headers: DeliveryHeaders
}

/** An event, exact bytes, or what `readDeliveries` read; signed anew in any case. */
export type Deliverable = FeedEvent | Uint8Array | RecordedDelivery

/** @throws SenderError `invalid_event`. */
export function draftOf(event: Deliverable, secret: string): Draft {
  if ('sha256' in event) {
    const { id, body, headers } = event
    // A header that was not there is left out again.
    return { id, body, secret, offsetSeconds: 0, headers: { ...absent, ...headers } }
  }
  const { eventId, body } = readEvent(event)
  return { id: eventId, body, secret, offsetSeconds: 0, headers: {} }
}

const absent = {
  'Content-Type': undefined,
  'Feed-Event-Id': undefined,
  'Idempotency-Key': undefined,
}

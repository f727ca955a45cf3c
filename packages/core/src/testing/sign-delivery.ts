import { checkBytes } from '../signature/check-mark.ts'
import { signatureHeader } from '../signature/hmac.node.ts'
import type { SignOptions } from '../signature/signature.ts'

export interface SignDeliveryOptions {
  /** The signing secret of the receiver, with its prefix `feed_whsec_`. It is not checked. */
  secret: string
  /**
   * The time of signing, in milliseconds since 1970.
   * @default Date.now()
   */
  at?: number
  /** Headers that replace the usual ones; `undefined` removes one. */
  headers?: Record<string, string | undefined>
}

export interface SignedDelivery {
  method: 'POST'
  headers: Record<string, string>
  /** Also fits the `body` of `fetch`. */
  body: Uint8Array<ArrayBuffer>
}

/** Signs one delivery as the service sends it, from an event or from exact bytes. */
export function signDelivery(
  event: object | Uint8Array,
  { secret, at = Date.now(), headers = {} }: SignDeliveryOptions,
): SignedDelivery {
  const body = new Uint8Array(
    event instanceof Uint8Array ? event : Buffer.from(JSON.stringify(event)),
  )
  const timestampSeconds = Math.floor(at / 1_000)
  const all: Record<string, string | undefined> = {
    'content-type': 'application/json',
    'feed-signature': signatureHeader({ secret, timestampSeconds, body }),
    ...idHeaders(event),
    ...headers,
  }
  const given = Object.entries(all).filter((entry): entry is [string, string] => Boolean(entry[1]))
  return { method: 'POST', headers: Object.fromEntries(given), body }
}

function idHeaders(event: object): Record<string, string> {
  if (!('id' in event) || typeof event.id !== 'string') return {}
  return { 'feed-event-id': event.id, 'idempotency-key': `feed-event-${event.id}` }
}

/**
 * The value of the header `Feed-Receiver-Check`, which marks a delivery as a test: an inbox leaves it
 * out of quarantine.
 */
export function checkMark({ body, ...options }: SignOptions): string {
  return signatureHeader({ ...options, body: checkBytes(body) })
}

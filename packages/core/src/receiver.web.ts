import { parseEvent } from './event/decode.web.ts'
import type { ReceiverOptions } from './options.ts'
import { createReceiverFor, type Receiver } from './receiver.ts'
import { findSigner, readSecrets } from './signature/hmac.web.ts'

/**
 * Creates a receiver, which verifies, stores and answers deliveries from any server.
 *
 * @throws FeedReceiverError `bad_secret` or `bad_option`; the message says how to fix it.
 */
export function createReceiver(options: ReceiverOptions): Receiver {
  return createReceiverFor({ readSecrets, findSigner, parseEvent, byteLength }, options)
}

const encoder = new TextEncoder()

function byteLength(text: string): number {
  return encoder.encode(text).length
}

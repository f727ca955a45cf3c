import { decodeBody } from './event/decode.node.ts'
import type { ReceiverOptions } from './options.ts'
import { createReceiverOn, type Receiver } from './receiver.ts'
import { findSigner, readSecrets } from './signature/hmac.node.ts'

/**
 * Makes a receiver, which verifies, judges and answers deliveries, whatever server they come from.
 *
 * @throws FeedReceiverError `bad_secret` or `bad_option`; the message says what to mend.
 */
export function createReceiver(options: ReceiverOptions): Receiver {
  return createReceiverOn({ readSecrets, findSigner, decodeBody }, options)
}

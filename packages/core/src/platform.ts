import type { ParsedEvent } from './event/parse-text.ts'
import type { SecretList } from './signature/secret.ts'
import type { Signature } from './signature/signature.ts'

/** The runtime functions of a receiver: `receiver.node.ts` and `receiver.web.ts` provide them. */
export interface Platform<Secret> {
  /** Prepares secrets for verifying. Throws FeedReceiverError `bad_secret`. */
  readSecrets(given: SecretList): Secret[]
  /** The fingerprint of the secret that made one of the signatures over these bytes. */
  findSigner(
    signature: Signature,
    body: Uint8Array,
    secrets: readonly Secret[],
  ): string | undefined | Promise<string | undefined>
  /** Parses the event in a verified body. Never throws. */
  parseEvent(body: Uint8Array): ParsedEvent
  /** The length of a text in UTF-8. */
  byteLength(text: string): number
}

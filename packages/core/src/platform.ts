import type { SecretList } from './signature/secret.ts'
import type { Signature } from './signature/signature.ts'

/** What a receiver needs of its runtime: `receiver.node.ts` has it of Node, `receiver.web.ts` of the web. */
export interface Platform<Secret> {
  /** Makes secrets ready for use. Throws FeedReceiverError `bad_secret`. */
  readSecrets(given: SecretList): Secret[]
  /** The fingerprint of the secret that made one of the signatures over these bytes (R199–R203). */
  findSigner(
    signature: Signature,
    body: Uint8Array,
    secrets: readonly Secret[],
  ): string | undefined | Promise<string | undefined>
  /** A body as text; undefined where it is not UTF-8. */
  decodeBody(body: Uint8Array): string | undefined
}

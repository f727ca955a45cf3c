import {
  createHash,
  createHmac,
  createSecretKey,
  timingSafeEqual,
  type Hmac,
  type KeyObject,
} from 'node:crypto'
import { checkSecrets, fingerprintText, type SecretList } from './secret.ts'
import type { Signature, SignOptions } from './signature.ts'

/** A signing secret, ready for use. Printing it does not show its text. */
export interface Secret {
  key: KeyObject
  fingerprint: string
}

/** Prepares secrets for use. Errors: as `checkSecrets`. */
export function readSecrets(given: SecretList): Secret[] {
  return checkSecrets(given).map((secret) => ({
    key: createSecretKey(secret, 'utf8'),
    fingerprint: fingerprintOf(secret),
  }))
}

/** The fingerprint of a secret for reports: 12 hex digits that reveal nothing about it. */
export function fingerprintOf(secret: string): string {
  return createHash('sha256').update(fingerprintText(secret)).digest('hex').slice(0, 12)
}

/** The fingerprint of the secret that made one of the signatures of these bytes. */
export function findSigner(
  { timestampSeconds, signatures }: Signature,
  body: Uint8Array,
  secrets: readonly Secret[],
): string | undefined {
  for (const { key, fingerprint } of secrets) {
    // Compare as hex: decoding the given signature took a tenth of the time of verifying.
    const expectedSignature = Buffer.from(hmac(key, timestampSeconds, body).digest('hex'))
    for (const signature of signatures) {
      const given = Buffer.from(signature)
      if (timingSafeEqual(given, expectedSignature)) return fingerprint
    }
  }
  return undefined
}

/**
 * Makes the value of `Feed-Signature` for one attempt: `t=<unix>,v1=<hex>`, where the hex is the
 * HMAC-SHA256 of `<unix>.` and the exact body bytes. Exactly one `v1`.
 *
 * @throws TypeError if the timestamp is not a whole number of seconds.
 */
export function signatureHeader({ secret, timestampSeconds, body }: SignOptions): string {
  if (!Number.isSafeInteger(timestampSeconds) || timestampSeconds < 0) {
    throw new TypeError('timestampSeconds must be a whole number of seconds since 1970.')
  }
  return `t=${timestampSeconds},v1=${hmac(secret, timestampSeconds, body).digest('hex')}`
}

function hmac(key: string | KeyObject, timestampSeconds: number, body: Uint8Array): Hmac {
  return createHmac('sha256', key).update(`${timestampSeconds}.`).update(body)
}

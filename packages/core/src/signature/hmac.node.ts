import {
  createHash,
  createHmac,
  createSecretKey,
  timingSafeEqual,
  type Hmac,
  type KeyObject,
} from 'node:crypto'
import { checkSecrets, fingerprintText, type SecretList } from './secret.ts'
import { checkTimestamp, type Signature, type SignOptions } from './signature.ts'

/** A signing secret, ready for use. Printing it shows no part of its text. */
export interface Secret {
  key: KeyObject
  fingerprint: string
}

/** Makes secrets ready for use. Errors: as `checkSecrets`. */
export function readSecrets(given: SecretList): Secret[] {
  return checkSecrets(given).map((secret) => ({
    key: createSecretKey(secret, 'utf8'),
    fingerprint: fingerprintOf(secret),
  }))
}

/** The fingerprint under which a secret is reported: 12 hex digits that give nothing of it away. */
export function fingerprintOf(secret: string): string {
  return createHash('sha256').update(fingerprintText(secret)).digest('hex').slice(0, 12)
}

/** The fingerprint of the secret that made one of the signatures over these bytes (R199–R203). */
export function findSigner(
  { timestampSeconds, signatures }: Signature,
  body: Uint8Array,
  secrets: readonly Secret[],
): string | undefined {
  for (const { key, fingerprint } of secrets) {
    // Hex beside hex: decoding the given one took a tenth of verifying.
    const expected = Buffer.from(hmac(key, timestampSeconds, body).digest('hex'))
    for (const signature of signatures) {
      const given = Buffer.from(signature)
      if (timingSafeEqual(given, expected)) return fingerprint
    }
  }
  return undefined
}

/**
 * Makes the value of `Feed-Signature` for one attempt: `t=<unix>,v1=<hex>`, where the hex is the
 * HMAC-SHA256 of `<unix>.` and the exact body bytes (R161, R162). Exactly one `v1` (R202).
 *
 * @throws TypeError where the timestamp is not a whole number of seconds.
 */
export function signatureHeader({ secret, timestampSeconds, body }: SignOptions): string {
  checkTimestamp(timestampSeconds)
  return `t=${timestampSeconds},v1=${hmac(secret, timestampSeconds, body).digest('hex')}`
}

function hmac(key: string | KeyObject, timestampSeconds: number, body: Uint8Array): Hmac {
  return createHmac('sha256', key).update(`${timestampSeconds}.`).update(body)
}

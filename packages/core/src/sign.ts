import { createHmac } from 'node:crypto'

export interface SignOptions {
  /** The whole signing secret, prefix included (R198). */
  secret: string
  /** Unix time of this attempt, in seconds. */
  timestampSeconds: number
  /** The exact bytes that are sent. */
  body: Uint8Array
}

/**
 * Makes the value of `Feed-Signature` for one attempt: `t=<unix>,v1=<hex>`, where the hex is the
 * HMAC-SHA256 of `<unix>.` and the exact body bytes (R161, R162). Exactly one `v1` (R202).
 *
 * @throws TypeError where the timestamp is not a whole number of seconds.
 */
export function signatureHeader({ secret, timestampSeconds, body }: SignOptions): string {
  if (!Number.isSafeInteger(timestampSeconds) || timestampSeconds < 0) {
    throw new TypeError('timestampSeconds must be a whole number of seconds since 1970.')
  }
  const signature = createHmac('sha256', secret)
    .update(`${timestampSeconds}.`)
    .update(body)
    .digest('hex')
  return `t=${timestampSeconds},v1=${signature}`
}

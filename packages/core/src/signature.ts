import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Secret } from './secret.ts'

/** What `Feed-Signature` says: when the attempt was signed, and the signatures to try. */
export interface Signature {
  timestampSeconds: number
  signatures: Buffer[]
}

// One timestamp, one to four v1 signatures, then schemes of a later day, which are ignored. Node
// joins a repeated header with ', ', which this refuses, as it does spaces and upper-case hex.
const form =
  /^t=(0|[1-9]\d{0,11})((?:,v1=[0-9a-f]{64}){1,4})(?:,(?!v1=|t=)[a-z][a-z0-9]*=[^,\s]{1,256}){0,4}$/

const prefixLength = ',v1='.length
const hexLength = 64

/** Reads a `Feed-Signature` header (R161, R200); null where it does not have the exact form. */
export function parseSignature(header: string): Signature | null {
  const match = form.exec(header)
  if (!match) return null
  const [, timestamp, list = ''] = match
  const signatures: Buffer[] = []
  for (let at = prefixLength; at < list.length; at += prefixLength + hexLength) {
    signatures.push(Buffer.from(list.slice(at, at + hexLength), 'hex'))
  }
  return { timestampSeconds: Number(timestamp), signatures }
}

/** The secret that made one of the signatures over these exact bytes, if any did (R199–R203). */
export function findSigner(
  { timestampSeconds, signatures }: Signature,
  body: Uint8Array,
  secrets: readonly Secret[],
): Secret | undefined {
  for (const secret of secrets) {
    const hmac = createHmac('sha256', secret.key).update(`${timestampSeconds}.`).update(body)
    const expected = hmac.digest()
    for (const signature of signatures) if (timingSafeEqual(signature, expected)) return secret
  }
  return undefined
}

import { timingSafeEqual } from 'node:crypto'
import type { Secret } from './secret.ts'

/** What `Feed-Signature` says: when the attempt was signed, and the signatures to try. */
export interface Signature {
  timestampSeconds: number
  /** In hex. */
  signatures: string[]
}

// One timestamp, one to four v1 signatures, then schemes of a later day, which are ignored. Node
// joins a repeated header with ', ', which this refuses, as it does spaces and upper-case hex.
const form =
  /^t=(?:0|[1-9]\d{0,11})(?:,v1=[0-9a-f]{64}){1,4}(?:,(?!v1=|t=)[a-z][a-z0-9]*=[^,\s]{1,256}){0,4}$/

const prefix = ',v1='
const hexLength = 64

/** Reads a `Feed-Signature` header (R161, R200); null where it does not have the exact form. */
export function parseSignature(header: string): Signature | null {
  if (!form.test(header)) return null
  let at = header.indexOf(',')
  const timestampSeconds = Number(header.slice('t='.length, at))
  const signatures: string[] = []
  while (header.startsWith(prefix, at)) {
    const start = at + prefix.length
    at = start + hexLength
    signatures.push(header.slice(start, at))
  }
  return { timestampSeconds, signatures }
}

// One pair for all comparisons, none of which is interrupted: to make two for each took a twentieth
// of verifying and reading a delivery.
const given = Buffer.alloc(hexLength)
const expected = Buffer.alloc(hexLength)

/** The secret that made one of the signatures over these exact bytes, if any did (R199–R203). */
export function findSigner(
  { timestampSeconds, signatures }: Signature,
  body: Uint8Array,
  secrets: readonly Secret[],
): Secret | undefined {
  for (const secret of secrets) {
    expected.write(secret.hmac(`${timestampSeconds}.`, body), 'latin1')
    for (const signature of signatures) {
      given.write(signature, 'latin1')
      if (timingSafeEqual(given, expected)) return secret
    }
  }
  return undefined
}

import { parseSignature } from '@feed-receiver/core'
import { orUndefined } from '../or-undefined.ts'
import { causesIn, type ByCause, type Cause } from './cause.ts'

/** The parts of a `Feed-Signature` header, read leniently. */
export interface ReadSignature {
  /** The text of the timestamp, exactly as signed. */
  timestamp: string
  /** Signatures in lower-case hex, of any length. */
  signatures: string[]
  /** The error in the form of the header; null if it is exact. */
  problem: Cause | null
}

/** Reads a signature header leniently; null if it has no timestamp or no signature. */
export function readSignature(header: string): ReadSignature | null {
  const text = (/%3d/i.test(header) && orUndefined(() => decodeURIComponent(header))) || header
  const [, timestamp] = /(?:^|[^a-z0-9])t\s*=\s*"?(\d{1,20})/i.exec(text) ?? []
  const found = [...text.matchAll(/v1\s*=\s*"?([0-9A-Za-z+/_-]{8,128}={0,2})/gi)]
  const signatures = found.map(([, signature = '']) => toHex(signature))
  if (timestamp === undefined || signatures.length === 0) return null
  return { timestamp, signatures, problem: findProblem(header) }
}

// The first match is reported, so problems around the header come before those inside it.
const problems: ByCause<RegExp> = {
  header_repeated: /(?:^|[\s,])t=.*[\s,]t=/s,
  header_with_name: /^\s*["']?feed-signature\s*:/i,
  header_quoted: /["']/,
  header_url_encoded: /%(?:3d|2c)/i,
  header_spaces: /\s/,
  header_base64: /v1=[0-9A-Fa-f]*[G-Zg-z+/_=-]/,
  header_upper_case: /v1=[0-9A-Fa-f]*[A-F]/,
  header_order: /v1=.*,t=/i,
  header_milliseconds: /^t=\d{13}(?!\d)/,
  header_other_form: /^/,
}

function findProblem(header: string): Cause | null {
  if (parseSignature(header)) return null
  return causesIn(problems).find(({ value }) => value.test(header))?.cause ?? null
}

function toHex(signature: string): string {
  if (/^[0-9a-f]+$/i.test(signature)) return signature.toLowerCase()
  return Buffer.from(signature, 'base64').toString('hex')
}

import { parseSignature } from '@feed-receiver/core/internal'
import { orUndefined } from '../../or-undefined.ts'
import type { Cause } from './cause.ts'

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
const problems: readonly (Cause & { form: RegExp })[] = [
  {
    code: 'header_repeated',
    form: /(?:^|[\s,])t=.*[\s,]t=/s,
    says: 'The header was sent more than once with different values, which were joined with a comma.',
    fix: 'Send it once. A proxy, or the code that forwards the delivery, adds a second one.',
  },
  {
    code: 'header_with_name',
    form: /^\s*["']?feed-signature\s*:/i,
    says: 'The value begins with the name of the header.',
    fix: 'Pass on only the text after "Feed-Signature: ".',
  },
  {
    code: 'header_quoted',
    form: /["']/,
    says: 'The header value contains quotes.',
    fix: 'Pass it on without quotes.',
  },
  {
    code: 'header_url_encoded',
    form: /%(?:3d|2c)/i,
    says: 'The header value is URL-encoded.',
    fix: 'Pass the header on unchanged. Something encodes headers.',
  },
  {
    code: 'header_spaces',
    form: /\s/,
    says: 'The header value contains white space.',
    fix: 'Pass it on without spaces: t=<seconds>,v1=<hex>.',
  },
  {
    code: 'header_base64',
    form: /v1=[0-9A-Fa-f]*[G-Zg-z+/_=-]/,
    says: 'The signature is in Base64.',
    fix: 'Write it as 64 lowercase hex digits.',
  },
  {
    code: 'header_upper_case',
    form: /v1=[0-9A-Fa-f]*[A-F]/,
    says: 'The signature is in uppercase hex.',
    fix: 'Write it in lowercase hex.',
  },
  {
    code: 'header_order',
    form: /v1=.*,t=/i,
    says: 'The signature comes before the timestamp.',
    fix: 'Put the timestamp first: t=<seconds>,v1=<hex>.',
  },
  {
    code: 'header_milliseconds',
    form: /^t=\d{13}(?!\d)/,
    says: 'The timestamp is in milliseconds.',
    fix: 'Sign and send whole seconds: Math.floor(Date.now() / 1000).',
  },
  {
    code: 'header_other_form',
    form: /^/,
    says: 'The header does not have the form t=<seconds>,v1=<64 hex digits>.',
    fix: 'Write it in exactly this form. For several signatures, repeat ,v1=<hex> up to four times.',
  },
]

function findProblem(header: string): Cause | null {
  if (parseSignature(header)) return null
  const found = problems.find(({ form }) => form.test(header))
  if (!found) return null
  const { code, says, fix } = found
  return { code, says, fix }
}

function toHex(signature: string): string {
  if (/^[0-9a-f]+$/i.test(signature)) return signature.toLowerCase()
  return Buffer.from(signature, 'base64').toString('hex')
}

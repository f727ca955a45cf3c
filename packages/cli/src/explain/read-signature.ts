import { parseSignature } from '@feed-receiver/core'
import type { Cause } from './cause.ts'

/** What a `Feed-Signature` header says, as far as it can be made out. */
export interface ReadSignature {
  /** The text of the timestamp, which is what was signed. */
  timestamp: string
  /** Signatures in lower-case hex, whatever their length. */
  signatures: string[]
  /** What is wrong with the form of the header; null if it is exact. */
  problem: Cause | null
}

/** Reads a signature header leniently; null if it has no timestamp or no signature. */
export function readSignature(header: string): ReadSignature | null {
  const text = /%3d/i.test(header) ? decode(header) : header
  const [, timestamp] = /(?:^|[^a-z0-9])t\s*=\s*"?(\d{1,20})/i.exec(text) ?? []
  const found = [...text.matchAll(/v1\s*=\s*"?([0-9A-Za-z+/_-]{8,128}={0,2})/gi)]
  const signatures = found.map(([, signature = '']) => toHex(signature))
  if (timestamp === undefined || signatures.length === 0) return null
  return { timestamp, signatures, problem: findProblem(header) }
}

// The first that fits is the one to name, so what stands around comes before what is inside.
const problems: Readonly<Record<string, { pattern: RegExp; says: string; fix: string }>> = {
  header_repeated: {
    pattern: /(?:^|[\s,])t=.*[\s,]t=/s,
    says: 'The header is there more than once, and was joined with a comma.',
    fix: 'Send it once: a proxy, or the code that forwards the delivery, adds a second one.',
  },
  header_with_name: {
    pattern: /^\s*["']?feed-signature\s*:/i,
    says: 'The value begins with the name of the header.',
    fix: 'Hand on only what stands behind "Feed-Signature: ".',
  },
  header_quoted: {
    pattern: /["']/,
    says: 'There are quotes in the header.',
    fix: 'Hand it on without quotes.',
  },
  header_url_encoded: {
    pattern: /%(?:3d|2c)/i,
    says: 'The header is URL-encoded.',
    fix: 'Hand it on as it came; something on the way encodes headers.',
  },
  header_spaces: {
    pattern: /\s/,
    says: 'There is white space in the header.',
    fix: 'Hand it on without spaces: t=<seconds>,v1=<hex>.',
  },
  header_base64: {
    pattern: /v1=[0-9A-Fa-f]*[G-Zg-z+/_=-]/,
    says: 'The signature is in Base64.',
    fix: 'Write it as 64 digits of lower-case hex.',
  },
  header_upper_case: {
    pattern: /v1=[0-9A-Fa-f]*[A-F]/,
    says: 'The signature is in upper-case hex.',
    fix: 'Write it in lower-case hex.',
  },
  header_order: {
    pattern: /v1=.*,t=/i,
    says: 'The signature comes before the timestamp.',
    fix: 'Put the timestamp first: t=<seconds>,v1=<hex>.',
  },
  header_milliseconds: {
    pattern: /^t=\d{13}(?!\d)/,
    says: 'The timestamp is in milliseconds.',
    fix: 'Sign and send whole seconds: Math.floor(Date.now() / 1000).',
  },
  header_other_form: {
    pattern: /^/,
    says: 'The header does not have the form t=<seconds>,v1=<64 digits of hex>.',
    fix: 'Write it in exactly this form; for several signatures repeat ,v1=<hex>, up to four.',
  },
}

function findProblem(header: string): Cause | null {
  if (parseSignature(header)) return null
  for (const [code, { pattern, says, fix }] of Object.entries(problems)) {
    if (pattern.test(header)) return { code, says, fix }
  }
  return null
}

function toHex(signature: string): string {
  if (/^[0-9a-f]+$/i.test(signature)) return signature.toLowerCase()
  return Buffer.from(signature, 'base64').toString('hex')
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

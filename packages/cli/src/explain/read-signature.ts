import { parseSignature } from '@feed-receiver/core'

/** What a `Feed-Signature` header says, as far as it can be made out. */
export interface ReadSignature {
  /** The text of the timestamp, which is what was signed. */
  timestamp: string
  /** Signatures in lower-case hex, whatever their length. */
  signatures: string[]
  /** What is wrong with the form of the header; null where it is exact. */
  problem: FormProblem | null
}

export interface FormProblem {
  code: FormCode
  says: string
  fix: string
}

export type FormCode =
  | 'header_repeated'
  | 'header_with_name'
  | 'header_quoted'
  | 'header_url_encoded'
  | 'header_spaces'
  | 'header_upper_case'
  | 'header_base64'
  | 'header_order'
  | 'header_milliseconds'
  | 'header_other_form'

/** Reads a signature header as leniently as it takes; null where it has no timestamp or no signature. */
export function readSignature(header: string): ReadSignature | null {
  const text = header.includes('%3D') || header.includes('%3d') ? decode(header) : header
  const [, timestamp] = /(?:^|[^a-z0-9])t\s*=\s*"?(\d{1,20})/i.exec(text) ?? []
  const found = [...text.matchAll(/v1\s*=\s*"?([0-9A-Za-z+/_-]{8,128}={0,2})/gi)]
  const signatures = found.map(([, signature = '']) => toHex(signature))
  if (timestamp === undefined || signatures.length === 0) return null
  return { timestamp, signatures, problem: findProblem(header) }
}

interface FormRule extends FormProblem {
  isMet(header: string): boolean
}

// The first that fits is the one to name, so what stands around comes before what is inside.
const rules: readonly FormRule[] = [
  {
    code: 'header_repeated',
    isMet: (header) => (header.match(/(?:^|[\s,])t=/g) ?? []).length > 1,
    says: 'The header is there more than once, and was joined with a comma.',
    fix: 'Send it once: a proxy, or the code that forwards the delivery, adds a second one.',
  },
  {
    code: 'header_with_name',
    isMet: (header) => /^\s*["']?feed-signature\s*:/i.test(header),
    says: 'The value begins with the name of the header.',
    fix: 'Hand on only what stands behind "Feed-Signature: ".',
  },
  {
    code: 'header_quoted',
    isMet: (header) => /["']/.test(header),
    says: 'There are quotes in the header.',
    fix: 'Hand it on without quotes.',
  },
  {
    code: 'header_url_encoded',
    isMet: (header) => /%(?:3d|2c)/i.test(header),
    says: 'The header is URL-encoded.',
    fix: 'Hand it on as it came; something on the way encodes headers.',
  },
  {
    code: 'header_spaces',
    isMet: (header) => /\s/.test(header),
    says: 'There is white space in the header.',
    fix: 'Hand it on without spaces: t=<seconds>,v1=<hex>.',
  },
  {
    code: 'header_upper_case',
    isMet: (header) => /v1=[0-9A-Fa-f]*[A-F]/.test(header) && !hasOtherLetters(header),
    says: 'The signature is in upper-case hex.',
    fix: 'Write it in lower-case hex.',
  },
  {
    code: 'header_base64',
    isMet: (header) => hasOtherLetters(header),
    says: 'The signature is in Base64.',
    fix: 'Write it as 64 digits of lower-case hex.',
  },
  {
    code: 'header_order',
    isMet: (header) => /v1=.*,t=/i.test(header),
    says: 'The signature comes before the timestamp.',
    fix: 'Put the timestamp first: t=<seconds>,v1=<hex>.',
  },
  {
    code: 'header_milliseconds',
    isMet: (header) => /^t=\d{13}(?!\d)/.test(header),
    says: 'The timestamp is in milliseconds.',
    fix: 'Sign and send whole seconds: Math.floor(Date.now() / 1000).',
  },
]

function findProblem(header: string): FormProblem | null {
  if (parseSignature(header)) return null
  const rule = rules.find(({ isMet }) => isMet(header))
  return (
    rule ?? {
      code: 'header_other_form',
      says: 'The header does not have the form t=<seconds>,v1=<64 digits of hex>.',
      fix: 'Write it in exactly this form; for several signatures repeat ,v1=<hex>, up to four.',
    }
  )
}

function hasOtherLetters(header: string): boolean {
  return /v1=[0-9A-Fa-f]*[G-Zg-z+/_=-]/.test(header)
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

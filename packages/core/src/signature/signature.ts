import { membersOf } from '../request.ts'

/** The content of `Feed-Signature`: the time of signing, and the signatures to verify. */
export interface Signature {
  timestampSeconds: number
  /** In hex. */
  signatures: string[]
}

// One timestamp, one to four v1 signatures, then unknown future schemes, which are ignored.
const form =
  /^t=(?:0|[1-9]\d{0,11})(?:,v1=[0-9a-f]{64}){1,4}(?:,(?!v1=|t=)[a-z][a-z0-9]*=[^,\s]{1,256}){0,4}$/

const prefix = ',v1='
const hexLength = 64

/**
 * Parses a `Feed-Signature` header (R161, R200); null if no copy of it has the exact form, or if
 * two that have it differ. A proxy may have split the header at its commas and joined it again,
 * repeated it, or put a value of its own beside it.
 */
export function parseSignature(header: string): Signature | null {
  if (form.test(header)) return parse(header)
  const [copy, other] = new Set(copiesIn(header).filter((text) => form.test(text)))
  return copy === undefined || other !== undefined ? null : parse(copy)
}

/** The copies in a list that HTTP has joined, each without white space and empty members. */
function copiesIn(header: string): string[] {
  const copies: string[][] = []
  for (const member of membersOf(header)) {
    if (member.startsWith('t=') || copies.length === 0) copies.push([])
    if (member !== '') copies.at(-1)?.push(member)
  }
  return copies.map((members) => members.join(','))
}

function parse(header: string): Signature {
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

export interface SignOptions {
  /** The whole signing secret, prefix included (R198). */
  secret: string
  /** Unix time of this attempt, in seconds. */
  timestampSeconds: number
  /** The exact bytes that are sent. */
  body: Uint8Array
}

/** Throws a TypeError if the timestamp is not a whole number of seconds. */
export function checkTimestamp(timestampSeconds: number): void {
  if (!Number.isSafeInteger(timestampSeconds) || timestampSeconds < 0) {
    throw new TypeError('timestampSeconds must be a whole number of seconds since 1970.')
  }
}

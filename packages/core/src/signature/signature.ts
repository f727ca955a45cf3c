import { membersOf } from '../request.ts'

/** The content of `Feed-Signature`: the time of signing, and the signatures to verify. */
export interface Signature {
  timestampSeconds: number
  /** In hex. */
  signatures: string[]
}

/** As the service sends it. Reading it as a list would take a delivery 2 µs longer. */
const usualForm = /^t=(0|[1-9]\d{0,11}),v1=([0-9a-f]{64})$/
const timeForm = /^t=(?:0|[1-9]\d{0,11})$/
const signatureForm = /^v1=[0-9a-f]{64}$/

/** The service sends two. A member takes a forger longer to send than the receiver to compare. */
const maxMembers = 32

/**
 * Parses a `Feed-Signature` header: `t=`, then `v1=` signatures among members of other
 * schemes, which are ignored. A proxy may have split the header at its commas and joined it again,
 * repeated it, or put a value of its own beside it. Null if it has no signature after a time, or
 * signatures after two different times. Members after the first 32 are ignored.
 */
export function parseSignature(header: string): Signature | null {
  const [, seconds, only] = usualForm.exec(header) ?? []
  if (only !== undefined) return { timestampSeconds: Number(seconds), signatures: [only] }
  let time: number | undefined
  let timestampSeconds: number | undefined
  const signatures: string[] = []
  for (const member of membersOf(header, maxMembers)) {
    if (member.startsWith('t=')) {
      time = timeForm.test(member) ? Number(member.slice('t='.length)) : undefined
    } else if (time !== undefined && signatureForm.test(member)) {
      if (timestampSeconds !== undefined && timestampSeconds !== time) return null
      timestampSeconds = time
      signatures.push(member.slice('v1='.length))
    }
  }
  return timestampSeconds === undefined ? null : { timestampSeconds, signatures }
}

export interface SignOptions {
  /** The whole signing secret, prefix included. */
  secret: string
  /** Unix time of this attempt, in seconds. */
  timestampSeconds: number
  /** The exact bytes that are sent. */
  body: Uint8Array
}

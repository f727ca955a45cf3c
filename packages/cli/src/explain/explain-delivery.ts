import { fingerprintOf } from '@feed-receiver/core'
import type { CapturedDelivery } from '../read-delivery.ts'
import { causeOf, type Cause } from './cause.ts'
import { findSlips, type NamedSecret } from './find-slips.ts'
import { judgeTime } from './judge-time.ts'
import { hintsAt, notesOn } from './notes.ts'
import { readSignature, type ReadSignature } from './read-signature.ts'

/** Why the signature of a delivery fails, or that it holds. Has no secret and no signature in it. */
export interface Explanation {
  /** Whether a receiver with these secrets would take it for authentic and fresh. */
  holds: boolean
  /** What is wrong, each to be mended; empty if it holds. */
  causes: Cause[]
  /** The secret that it comes from, if that was found. */
  secret: { name: string; fingerprint: string } | null
  /** When it was signed, if the header says so. */
  signedAt: string | null
  /** What else is worth knowing. */
  notes: string[]
}

export interface ExplainOptions {
  secrets: readonly NamedSecret[]
  /** @default 300 */
  toleranceSeconds?: number
  /** @default Date.now */
  now?: () => number
}

/**
 * Finds out why the signature of a captured delivery fails: tries the secrets, then what commonly
 * goes wrong with secrets, bodies, timestamps and signing, one by one and then two at once.
 */
export function explainDelivery(
  delivery: CapturedDelivery,
  { secrets, toleranceSeconds = 300, now = Date.now }: ExplainOptions,
): Explanation {
  const { body: bytes, headers, receivedAt } = delivery
  const header = headers['feed-signature']
  const signature = header === undefined ? null : readSignature(header)
  if (!signature) {
    const causes = [header === undefined ? findHeader(headers) : causeOf('header_unreadable')]
    return { holds: false, causes, secret: null, signedAt: null, notes: [] }
  }
  const body = Buffer.from(bytes)
  const slips = findSlips({ signature, body, eventId: headers['feed-event-id'] ?? '' }, secrets)
  const { problem, signatures } = signature
  const form = problem ? [problem] : []
  const signedAt = readTime(signature)
  if (!slips) {
    const notes = hintsAt(delivery, signature, secrets)
    return { holds: false, causes: [...form, causeOf('no_match')], secret: null, signedAt, notes }
  }
  // Another function makes another length, which is then no mistake of its own.
  const isOtherLength = slips.causes.length > 0 && signatures.every((hex) => hex.length !== 64)
  const { cause, note } = judgeTime(signature, receivedAt, { toleranceSeconds, now })
  const causes = [...(isOtherLength ? [] : form), ...slips.causes, ...(cause ? [cause] : [])]
  const { name, value } = slips.secret
  return {
    holds: causes.length === 0,
    causes,
    secret: { name, fingerprint: fingerprintOf(value) },
    signedAt,
    notes: [...(note === undefined ? [] : [note]), ...notesOn(delivery)],
  }
}

function readTime({ timestamp }: ReadSignature): string | null {
  const at = new Date(Number(timestamp) * (timestamp.length >= 13 ? 1 : 1000))
  return Number.isNaN(at.getTime()) ? null : at.toISOString()
}

/** Why there is no Feed-Signature header. */
function findHeader(headers: Record<string, string>): Cause {
  const [header] = Object.entries(headers).find(([, value]) => readSignature(value)) ?? []
  return header === undefined ? causeOf('header_missing') : causeOf('header_renamed', { header })
}

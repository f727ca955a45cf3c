import { fingerprintOf } from '@feed-receiver/core'
import type { CapturedDelivery } from '../read-delivery.ts'
import type { Cause } from './cause.ts'
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
    const causes = [header === undefined ? findHeader(headers) : unreadableHeader]
    return { holds: false, causes, secret: null, signedAt: null, notes: [] }
  }
  const body = Buffer.from(bytes)
  const slips = findSlips({ signature, body, eventId: headers['feed-event-id'] ?? '' }, secrets)
  const { problem, signatures } = signature
  const form = problem ? [problem] : []
  const signedAt = readTime(signature)
  if (!slips) {
    const notes = hintsAt(delivery, signature, secrets)
    return { holds: false, causes: [...form, unknown], secret: null, signedAt, notes }
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

const unknown: Cause = {
  code: 'no_match',
  says: 'No secret here made this signature over this body, and none of the usual slips explains it.',
  fix:
    'Most likely the side that signs has another secret: compare the fingerprints, or give the older ' +
    'or newer secret as well. If the secret is right, the bytes are not: capture them before any parser.',
}

const unreadableHeader: Cause = {
  code: 'header_unreadable',
  says: 'The Feed-Signature header has no timestamp t=… or no signature v1=… in it.',
  fix: 'It is t=<seconds>,v1=<64 digits of hex>: see whether something on the way cut or replaced it.',
}

/** Why there is no Feed-Signature header. */
function findHeader(headers: Record<string, string>): Cause {
  const [renamed] = Object.entries(headers).find(([, value]) => readSignature(value)) ?? []
  if (renamed !== undefined) {
    return {
      code: 'header_renamed',
      says: `The signature is in the header ${renamed}, and not in Feed-Signature.`,
      fix: 'Hand it on under its own name: a proxy or a platform renamed the header.',
    }
  }
  return {
    code: 'header_missing',
    says: 'There is no Feed-Signature header.',
    fix:
      'Capture it with the delivery, or give it with --signature. If it never came, a proxy dropped it, ' +
      'or the delivery is not from the service. (An inbox keeps no signatures: there they held.)',
  }
}

import { fingerprintOf } from '@feed-receiver/core'
import type { CapturedDelivery } from '../read-delivery.ts'
import type { Cause } from './cause.ts'
import { findSlips, type NamedSecret, type Signed } from './find-slips.ts'
import { hintsAt } from './hints.ts'
import { notesOn } from './notes.ts'
import { readSignature, type ReadSignature } from './read-signature.ts'
import { judgeTime } from './judge-time.ts'

/** Why the signature of a delivery fails, or that it holds. Has no secret and no signature in it. */
export interface Explanation {
  /** Whether a receiver with these secrets would take it for authentic and fresh. */
  holds: boolean
  /** What is wrong, each to be mended; empty where it holds. */
  causes: Cause[]
  /** The secret that it comes from, where that was found. */
  secret: { name: string; fingerprint: string } | null
  /** When it was signed, where the header says so. */
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
  const header = delivery.headers['feed-signature']
  const signature = header === undefined ? null : readSignature(header)
  if (!signature) return unreadable(delivery, header)
  const signed: Signed = {
    signature,
    body: delivery.body,
    eventId: delivery.headers['feed-event-id'] ?? '',
  }
  const slips = findSlips(signed, secrets)
  const form = signature.problem ? [toCause(signature.problem)] : []
  if (!slips) {
    return {
      ...explained(signature, [...form, unknown]),
      notes: hintsAt(delivery, signature, secrets),
    }
  }
  // Another function makes another length, which is then no mistake of its own.
  const isOtherLength = slips.causes.length > 0 && signature.signatures.every(isNotUsual)
  const time = judgeTime(signature, delivery.receivedAt, { toleranceSeconds, now })
  const causes = [...(isOtherLength ? [] : form), ...slips.causes.map(toCause), ...time.causes]
  const { name, value } = slips.secret
  return {
    ...explained(signature, causes),
    secret: { name, fingerprint: fingerprintOf(value) },
    notes: [...time.notes, ...notesOn(delivery)],
  }
}

function explained(signature: ReadSignature, causes: Cause[]): Explanation {
  const seconds = Number(signature.timestamp)
  const at = new Date(seconds * (signature.timestamp.length >= 13 ? 1 : 1000))
  return {
    holds: causes.length === 0,
    causes,
    secret: null,
    signedAt: Number.isNaN(at.getTime()) ? null : at.toISOString(),
    notes: [],
  }
}

function isNotUsual(hex: string): boolean {
  return hex.length !== 64
}

// Without what a table has beside it.
function toCause({ code, says, fix }: Cause): Cause {
  return { code, says, fix }
}

const unknown: Cause = {
  code: 'no_match',
  says: 'No secret here made this signature over this body, and none of the usual slips explains it.',
  fix:
    'Most likely the side that signs has another secret: compare the fingerprints, or give the older ' +
    'or newer secret as well. If the secret is right, the bytes are not: capture them before any parser.',
}

function unreadable({ headers }: CapturedDelivery, header: string | undefined): Explanation {
  const nothing = { holds: false, secret: null, signedAt: null, notes: [] }
  if (header !== undefined) return { ...nothing, causes: [unreadableHeader] }
  const [renamed] = Object.entries(headers).find(([, value]) => readSignature(value)) ?? []
  if (renamed === undefined) return { ...nothing, causes: [missingHeader] }
  const says = `The signature is in the header ${renamed}, and not in Feed-Signature.`
  const fix = 'Hand it on under its own name: a proxy or a platform renamed the header.'
  return { ...nothing, causes: [{ code: 'header_renamed', says, fix }] }
}

const unreadableHeader: Cause = {
  code: 'header_unreadable',
  says: 'The Feed-Signature header has no timestamp t=… or no signature v1=… in it.',
  fix: 'It is t=<seconds>,v1=<64 digits of hex>: see whether something on the way cut or replaced it.',
}

const missingHeader: Cause = {
  code: 'header_missing',
  says: 'There is no Feed-Signature header.',
  fix:
    'Capture it with the delivery, or give it with --signature. If it never came, a proxy dropped it, ' +
    'or the delivery is not from the service. (An inbox keeps no signatures: there they held.)',
}

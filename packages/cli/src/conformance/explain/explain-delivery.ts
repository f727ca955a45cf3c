import { fingerprintOf } from '@feed-receiver/core'
import type { Cause } from './cause.ts'
import { findMistakes } from './find-mistakes.ts'
import type { CapturedDelivery, NamedSecret } from './input.ts'
import { hintsAt, notesOn } from './notes.ts'
import { readSignature, type ReadSignature } from './read-signature.ts'

/** Why the signature of a delivery fails, or that it holds. Contains no secret and no signature. */
export interface Explanation {
  /** Whether a receiver with these secrets would accept it as authentic and fresh. */
  holds: boolean
  /** The causes of the failure, all to be fixed; empty if the signature holds. */
  causes: Cause[]
  /** The secret that signed it, if found. */
  secret: { name: string; fingerprint: string } | null
  /** When it was signed, if the header says so. */
  signedAt: string | null
  /** Additional observations. */
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
 * Finds out why the signature of a captured delivery fails. It tries the secrets, then common
 * mistakes with secrets, bodies, timestamps and signing: one by one, then two combined.
 */
export function explainDelivery(
  delivery: CapturedDelivery,
  { secrets, toleranceSeconds = 300, now = Date.now }: ExplainOptions,
): Explanation {
  const { body: bytes, headers, receivedAt } = delivery
  const header = headers['feed-signature']
  const signature = header === undefined ? null : readSignature(header)
  if (!signature) {
    const causes = [header === undefined ? findHeader(headers) : unreadable]
    return { holds: false, causes, secret: null, signedAt: null, notes: [] }
  }
  const body = Buffer.from(bytes)
  const mistakes = findMistakes(
    { signature, body, eventId: headers['feed-event-id'] ?? '' },
    secrets,
  )
  const { problem, signatures } = signature
  const form = problem ? [problem] : []
  const signedAt = readTime(signature)
  if (!mistakes) {
    const notes = hintsAt(delivery, signature, secrets)
    return { holds: false, causes: [...form, noMatch], secret: null, signedAt, notes }
  }
  // Another hash function makes another length, which is then not a separate mistake.
  const isOtherLength = mistakes.causes.length > 0 && signatures.every((hex) => hex.length !== 64)
  const { cause, note } = checkTime(signature, receivedAt, { toleranceSeconds, now })
  const causes = [...(isOtherLength ? [] : form), ...mistakes.causes, ...(cause ? [cause] : [])]
  const { name, value } = mistakes.secret
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
  if (header === undefined) return missing
  return {
    code: 'header_renamed',
    says: `The signature is in the header ${header} instead of Feed-Signature.`,
    fix: 'Pass it on as Feed-Signature. A proxy or a platform renamed the header.',
  }
}

const missing: Cause = {
  code: 'header_missing',
  says: 'There is no Feed-Signature header.',
  fix: 'Capture it with the delivery, or pass it with --signature. If it was never sent, a proxy dropped it, or the delivery is not from the service. (An inbox stores no signatures, because it stores only verified deliveries.)',
}
const unreadable: Cause = {
  code: 'header_unreadable',
  says: 'The Feed-Signature header has no timestamp t=… or no signature v1=….',
  fix: 'Its form is t=<seconds>,v1=<64 hex digits>. Check whether something truncated or replaced it.',
}
const noMatch: Cause = {
  code: 'no_match',
  says: 'None of these secrets produces this signature for this body, and no common mistake explains it.',
  fix: 'The signing side probably uses another secret: compare the fingerprints, or pass the older or newer secret too. If the secret is right, the body was changed: capture it before any parser.',
}

/** Whether the timestamp was within the tolerance on arrival, if that is known. */
function checkTime(
  { timestamp, problem }: ReadSignature,
  receivedAt: string | null,
  { toleranceSeconds, now }: { toleranceSeconds: number; now: () => number },
): { cause?: Cause; note?: string } {
  // A timestamp in milliseconds has the wrong form, so its distance means nothing.
  if (problem?.code === 'header_milliseconds') return {}
  const received = receivedAt === null ? Number.NaN : Date.parse(receivedAt)
  const isKnown = !Number.isNaN(received)
  const skew = Math.floor((isKnown ? received : now()) / 1000) - Number(timestamp)
  // Nothing can be captured before it was signed, so a timestamp in the future is always wrong.
  const isOutside = isKnown ? Math.abs(skew) > toleranceSeconds : skew < -toleranceSeconds
  if (isOutside) return { cause: outside(skew, toleranceSeconds) }
  if (isKnown || skew <= toleranceSeconds) return {}
  return {
    note:
      `It was signed ${describeSeconds(skew)} ago. A receiver accepts it within ${toleranceSeconds} s. ` +
      'To check that, set the time of receipt with --received-at.',
  }
}

function outside(skew: number, toleranceSeconds: number): Cause {
  const side = skew > 0 ? 'before' : 'after'
  const zone = isZone(skew) ? ' A difference in whole half hours looks like a time zone.' : ''
  return {
    code: 'outside_window',
    says: `The signature is valid, but it was made ${describeSeconds(Math.abs(skew))} ${side} the delivery was received. The tolerance is ${toleranceSeconds} s.${zone}`,
    fix: 'Synchronize both clocks with NTP. Sign each attempt with a new timestamp, because a stored delivery keeps its old one.',
  }
}

function isZone(skew: number): boolean {
  const nearest = Math.round(skew / 1800) * 1800
  return nearest !== 0 && Math.abs(skew) <= 14 * 3600 && Math.abs(skew - nearest) <= 60
}

function describeSeconds(seconds: number): string {
  if (seconds < 7200) return `${seconds} s`
  if (seconds < 172_800) return `${Math.round(seconds / 3600)} h`
  return `${Math.round(seconds / 86_400)} days`
}

import { fingerprintOf } from '@feed-receiver/core'
import { parseEvent } from '@feed-receiver/core/internal'
import { many, present } from '../../output/words.ts'
import type { Cause } from './cause.ts'
import { findMistakes } from './find-mistakes.ts'
import { readSignature, type ReadSignature } from './read-signature.ts'

export interface CapturedDelivery {
  /** The body to send, or as received. */
  body: Uint8Array
  /** By lower-case name; empty if the file contains only the body. */
  headers: Record<string, string>
  /** When it was received, in ISO 8601, if the file says so. */
  receivedAt: string | null
  /** Whether the file had the body as JSON and not as text, so that its exact bytes are lost. */
  isRewritten: boolean
}

export interface NamedSecret {
  /** Its origin, such as the name of the variable. */
  name: string
  value: string
}

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
  notes: string[]
}

export interface ExplainOptions {
  secrets: readonly NamedSecret[]
  /** @default Date.now */
  now?: () => number
}

/**
 * Finds out why the signature of a captured delivery fails. It tries the secrets, then common
 * mistakes with secrets, bodies, timestamps and signing: one by one, then two combined.
 */
export function explainDelivery(
  delivery: CapturedDelivery,
  { secrets, now = Date.now }: ExplainOptions,
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
  const { cause, note } = checkTime(signature, receivedAt, now)
  const causes = [...(isOtherLength ? [] : form), ...mistakes.causes, ...(cause ? [cause] : [])]
  const { name, value } = mistakes.secret
  return {
    holds: causes.length === 0,
    causes,
    secret: { name, fingerprint: fingerprintOf(value) },
    signedAt,
    notes: present(note, ...notesOn(delivery)),
  }
}

function readTime({ timestamp }: ReadSignature): string | null {
  const at = new Date(Number(timestamp) * (timestamp.length >= 13 ? 1 : 1000))
  return Number.isNaN(at.getTime()) ? null : at.toISOString()
}

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

const toleranceSeconds = 300

/** Whether the timestamp was within the tolerance on arrival, if that is known. */
function checkTime(
  { timestamp, problem }: ReadSignature,
  receivedAt: string | null,
  now: () => number,
): { cause?: Cause; note?: string } {
  // A timestamp in milliseconds has the wrong form, so its distance means nothing.
  if (problem?.code === 'header_milliseconds') return {}
  const received = receivedAt === null ? Number.NaN : Date.parse(receivedAt)
  const isKnown = !Number.isNaN(received)
  const skew = Math.floor((isKnown ? received : now()) / 1000) - Number(timestamp)
  // Nothing can be captured before it was signed, so a timestamp in the future is always wrong.
  const isOutside = isKnown ? Math.abs(skew) > toleranceSeconds : skew < -toleranceSeconds
  if (isOutside) return { cause: outside(skew) }
  if (isKnown || skew <= toleranceSeconds) return {}
  return {
    note:
      `It was signed ${describeSeconds(skew)} ago. A receiver accepts it within ${toleranceSeconds} s. ` +
      'To check that, set the time of receipt with --received-at.',
  }
}

function outside(skew: number): Cause {
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

function notesOn({ body, headers }: CapturedDelivery): string[] {
  const encoding = headers['content-encoding'] ?? 'identity'
  const id = headers['feed-event-id']
  const parsed = parseEvent(body)
  const isUnreadable = 'problem' in parsed
  return present(
    encoding.toLowerCase() !== 'identity' &&
      'It has a Content-Encoding, which a receiver answers with 415. Send it uncompressed.',
    body.length > 1_048_576 &&
      'The body exceeds 1 MiB, so a receiver answers 413 unless its limit is raised.',
    isUnreadable && `A receiver would quarantine it as ${parsed.problem}: ${parsed.detail}`,
    !isUnreadable &&
      id !== undefined &&
      id !== parsed.event.id &&
      'Its Feed-Event-Id names another event than the body, so a receiver would quarantine it.',
  )
}

/** Hints about a delivery whose signature no hypothesis explains. */
export function hintsAt(
  { body, headers, isRewritten }: CapturedDelivery,
  { signatures }: ReadSignature,
  secrets: readonly NamedSecret[],
): string[] {
  const text = Buffer.from(body).toString('latin1')
  const length = Number(headers['content-length'] ?? body.length)
  const tried = secrets.map(({ name, value }) => `${name} (fingerprint ${fingerprintOf(value)})`)
  return present(
    isRewritten && 'The capture has the body as parsed JSON, so its exact bytes are lost.',
    body.length === 0 && 'The body is empty, so a parser before the receiver probably read it.',
    text === '[object Object]' &&
      'The body is the text "[object Object]": an object was converted to text.',
    text === '{}' && 'The body is {}: a parser set it because it found no content.',
    text.includes('\u00EF\u00BF\u00BD') &&
      'The body contains U+FFFD: bytes were decoded in the wrong charset, and are lost.',
    !isRewritten &&
      length !== body.length &&
      `Content-Length was ${length}, but this body has ${many(body.length, 'byte')}.`,
    signatures.some((hex) => hex.length !== 64) &&
      'A signature in the header does not have 64 digits. It was cut off, or is of another kind.',
    ...secrets.map(
      ({ name, value }) =>
        !value.trim().startsWith('feed_whsec_') &&
        `${name} does not begin with feed_whsec_. It may be the secret of another service.`,
    ),
    `Tried: ${tried.join(', ')}.`,
  )
}

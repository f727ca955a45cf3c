import { fingerprintOf, parseEvent } from '@feed-receiver/core'
import type { CapturedDelivery, NamedSecret } from './input.ts'
import type { ReadSignature } from './read-signature.ts'
import { many } from '../../output/format-count.ts'

/** Problems of a delivery besides its signature. */
export function notesOn({ body, headers }: CapturedDelivery): string[] {
  const encoding = headers['content-encoding'] ?? 'identity'
  const id = headers['feed-event-id']
  const parsed = parseEvent(body)
  const isUnreadable = 'problem' in parsed
  return texts(
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
  return texts(
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

function texts(...candidates: (string | false)[]): string[] {
  return candidates.filter((text) => text !== false)
}

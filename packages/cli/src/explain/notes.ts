import { fingerprintOf, parseEvent } from '@feed-receiver/core'
import type { CapturedDelivery } from '../read-delivery.ts'
import type { NamedSecret } from './find-slips.ts'
import type { ReadSignature } from './read-signature.ts'
import { many } from '../output/say-count.ts'

/** Problems of a delivery besides its signature. */
export function notesOn({ body, headers }: CapturedDelivery): string[] {
  const encoding = headers['content-encoding'] ?? 'identity'
  const id = headers['feed-event-id']
  const parsed = parseEvent(body)
  const isUnreadable = 'problem' in parsed
  return texts(
    encoding.toLowerCase() !== 'identity' &&
      'It has a Content-Encoding, which a receiver answers with 415: send it uncompressed.',
    body.length > 1_048_576 &&
      'Its body is over 1 MiB, which a receiver answers with 413 unless its limit is raised.',
    isUnreadable && `It would go into quarantine as ${parsed.problem}: ${parsed.detail}`,
    !isUnreadable &&
      id !== undefined &&
      id !== parsed.event.id &&
      'Its Feed-Event-Id names another event than the body: it would go into quarantine.',
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
    body.length === 0 && 'The body is empty: a parser before the receiver has read it.',
    text === '[object Object]' &&
      'The body is the text "[object Object]": an object was put where its bytes belong.',
    text === '{}' && 'The body is {}: a parser that found nothing has put that there.',
    text.includes('\u00EF\u00BF\u00BD') &&
      'The body has U+FFFD in it: bytes were decoded as text in the wrong charset, and lost.',
    !isRewritten &&
      length !== body.length &&
      `Content-Length was ${length}, and the body here has ${many(body.length, 'byte')}.`,
    signatures.some((hex) => hex.length !== 64) &&
      'A signature in the header does not have 64 digits: it was cut, or is of another kind.',
    ...secrets.map(
      ({ name, value }) =>
        !value.trim().startsWith('feed_whsec_') &&
        `${name} does not begin with feed_whsec_: it may be the secret of something else.`,
    ),
    `Tried: ${tried.join(', ')}.`,
  )
}

function texts(...candidates: (string | false)[]): string[] {
  return candidates.filter((text) => text !== false)
}

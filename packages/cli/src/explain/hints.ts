import { fingerprintOf } from '@feed-receiver/core'
import type { CapturedDelivery } from '../read-delivery.ts'
import type { NamedSecret } from './find-slips.ts'
import type { ReadSignature } from './read-signature.ts'

/** What can be seen of a delivery whose signature nothing explains. */
export function hintsAt(
  delivery: CapturedDelivery,
  { signatures }: ReadSignature,
  secrets: readonly NamedSecret[],
): string[] {
  return [
    ...hintsAtBody(delivery),
    ...(signatures.every(({ length }) => length === 64)
      ? []
      : ['A signature in the header does not have 64 digits: it was cut, or is of another kind.']),
    ...secrets.flatMap(hintsAtSecret),
    `Tried: ${secrets.map(({ name, value }) => `${name} (fingerprint ${fingerprintOf(value)})`).join(', ')}.`,
  ]
}

function hintsAtBody({ body, headers, isRewritten }: CapturedDelivery): string[] {
  const hints: string[] = []
  const text = Buffer.from(body).toString('latin1')
  const length = headers['content-length']
  if (isRewritten) {
    hints.push('The capture has the body as parsed JSON, so its exact bytes are lost.')
  }
  if (body.length === 0) hints.push('The body is empty: a parser before the receiver has read it.')
  if (text === '[object Object]') {
    hints.push('The body is the text "[object Object]": an object was put where its bytes belong.')
  }
  if (text === '{}') hints.push('The body is {}: a parser that found nothing has put that there.')
  if (text.includes('\u00EF\u00BF\u00BD')) {
    hints.push(
      'The body has U+FFFD in it: bytes were decoded as text in the wrong charset, and lost.',
    )
  }
  if (!isRewritten && length !== undefined && Number(length) !== body.length) {
    hints.push(`Content-Length was ${Number(length)}, and the body here has ${body.length} bytes.`)
  }
  return hints
}

function hintsAtSecret({ name, value }: NamedSecret): string[] {
  if (value.trim().startsWith('feed_whsec_')) return []
  return [`${name} does not begin with feed_whsec_: it may be the secret of something else.`]
}

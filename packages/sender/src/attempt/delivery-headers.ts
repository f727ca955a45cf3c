import { SenderError } from '../errors.ts'

/**
 * Headers to send in place of the usual ones, by name in any case: a string replaces, several strings
 * are sent as so many headers, undefined removes. Made for faults, such as a missing signature.
 */
export type DeliveryHeaders = Readonly<Record<string, string | readonly string[] | undefined>>

/**
 * Makes the headers of one attempt (R160, R161, R165–R167) as a flat list of names and values.
 *
 * @throws SenderError `invalid_header` where HTTP cannot carry a name or value unchanged: characters
 * beyond latin1, control characters, or white space around a value.
 */
export function deliveryHeaders(
  { eventId, signature, userAgent }: { eventId: string; signature: string; userAgent: string },
  headers: DeliveryHeaders | undefined,
): string[] {
  const key = `feed-event-${eventId}`
  const usual = ['Content-Type', 'application/json', 'Feed-Signature', signature]
  usual.push('Feed-Event-Id', eventId, 'Idempotency-Key', key, 'User-Agent', userAgent)
  const lines = headers ? replaceLines(usual, headers) : usual
  for (let at = 0; at < lines.length; at += 2) checkHeader(lines[at] ?? '', lines[at + 1] ?? '')
  return lines
}

function replaceLines(usual: string[], headers: DeliveryHeaders): string[] {
  const replaced = new Set(Object.keys(headers).map((name) => name.toLowerCase()))
  const kept = usual.filter((_, at) => !replaced.has((usual[at - (at % 2)] ?? '').toLowerCase()))
  const given = Object.entries(headers).flatMap(([name, value = []]) =>
    [value].flat().flatMap((each) => [name, each]),
  )
  return [...kept, ...given]
}

const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
const fieldValue = /^(?:[\x21-\x7e\x80-\xff](?:[\t\x20-\x7e\x80-\xff]*[\x21-\x7e\x80-\xff])?)?$/

// The value is not quoted: it may be a signature.
function checkHeader(name: string, value: string): void {
  if (!token.test(name)) {
    throw new SenderError('invalid_header', `${JSON.stringify(name)} is no header name.`)
  }
  if (fieldValue.test(value)) return
  throw new SenderError(
    'invalid_header',
    `HTTP cannot carry the value for the header ${name}: it has characters beyond latin1, control ` +
      'characters or white space around it.',
    {
      advice:
        'Where it comes from the event id, give `headers` with Feed-Event-Id and Idempotency-Key of ' +
        'your own, or undefined to leave them out.',
    },
  )
}

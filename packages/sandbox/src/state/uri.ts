import { z } from 'zod'

// A source may be of any scheme. Clients that hold answers to their description, where the format is
// `uri`, take no letters beyond ASCII and no bare percent sign.
const escaped = '%[\\da-f]{2}'
const plain = `(?:[\\w.~!$&'()*+,;=:@/-]|${escaped})`
const literal = `//(?:(?:[\\w.~!$&'()*+,;=:-]|${escaped})*@)?\\[[\\da-f:.]+\\](?=[:/?#]|$)`
const pattern = new RegExp(
  `^[a-z][a-z0-9+.-]*:(?:${literal}${plain}*|${plain}+)(?:\\?(?:${plain}|\\?)*)?(?:#(?:${plain}|\\?)*)?$`,
  'i',
)

/** An absolute URI as RFC 3986 has it, which URL can read as well. */
export const absoluteUri = z
  .string()
  .regex(pattern, { error: 'expected an absolute URI, as https://example.com/%C3%BC', abort: true })
  .refine((text) => URL.canParse(text), 'expected a URI with a host and a port that can be')

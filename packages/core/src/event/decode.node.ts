import { isAscii, isUtf8 } from 'node:buffer'
import { parseText, type ParsedEvent } from './parse-text.ts'

/** A body as text, of which nothing is read yet; undefined where it is not UTF-8. */
export function decodeBody(body: Uint8Array): string | undefined {
  const bytes = Buffer.isBuffer(body)
    ? body
    : Buffer.from(body.buffer, body.byteOffset, body.length)
  // The usual case, which this reads exactly, and faster.
  if (isAscii(bytes)) return bytes.toString('latin1')
  // A decoder would replace a broken byte in silence, and make an event that nobody signed.
  return isUtf8(bytes) ? bytes.toString() : undefined
}

/**
 * Reads the event from a verified body. Never throws: what cannot be read comes back as a problem,
 * with a detail that names members but never quotes the body.
 */
export function parseEvent(body: Uint8Array): ParsedEvent {
  return parseText(decodeBody(body))
}

import { isAscii, isUtf8 } from 'node:buffer'
import { parseText, type ParsedEvent } from './parse-text.ts'

/** Decodes a body to text without parsing it; undefined if it is not UTF-8. */
function decodeBody(body: Uint8Array): string | undefined {
  const bytes = Buffer.isBuffer(body)
    ? body
    : Buffer.from(body.buffer, body.byteOffset, body.length)
  // The usual case: latin1 reads ASCII exactly, and faster.
  if (isAscii(bytes)) return bytes.toString('latin1')
  // A decoder silently replaces a broken byte, so the event would differ from the signed one.
  return isUtf8(bytes) ? bytes.toString() : undefined
}

/**
 * Parses the event in a verified body. Never throws: an unreadable body is returned as a problem,
 * with a detail that names members but never quotes the body.
 */
export function parseEvent(body: Uint8Array): ParsedEvent {
  return parseText(decodeBody(body))
}

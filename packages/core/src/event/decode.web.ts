import { parseText, type ParsedEvent } from './parse-text.ts'

// Without `fatal` it silently replaces a broken byte: the event would differ from the signed one.
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Decodes a body to text without parsing it; undefined if it is not UTF-8. */
function decodeBody(body: Uint8Array): string | undefined {
  try {
    return decoder.decode(body)
  } catch {
    return undefined
  }
}

/**
 * Parses the event in a verified body. Never throws: an unreadable body is returned as a problem,
 * with a detail that names members but never quotes the body.
 */
export function parseEvent(body: Uint8Array): ParsedEvent {
  return parseText(decodeBody(body))
}

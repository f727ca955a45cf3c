import { parseText, type ParsedEvent } from './parse-text.ts'

// Without `fatal` it would replace a broken byte in silence, and make an event that nobody signed.
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** A body as text, of which nothing is read yet; undefined where it is not UTF-8. */
export function decodeBody(body: Uint8Array): string | undefined {
  try {
    return decoder.decode(body)
  } catch {
    return undefined
  }
}

/**
 * Reads the event from a verified body. Never throws: what cannot be read comes back as a problem,
 * with a detail that names members but never quotes the body.
 */
export function parseEvent(body: Uint8Array): ParsedEvent {
  return parseText(decodeBody(body))
}

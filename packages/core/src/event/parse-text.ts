import type { FeedEvent } from './feed-event.ts'
import { isEventId, isFeedEvent, isObject } from './is-feed-event.ts'

/** Why this version cannot read an event from an authentic body. */
export type Unreadable = 'not_json' | 'not_an_event' | 'unknown_schema_version'

export type ParsedEvent =
  | { event: FeedEvent }
  | { problem: Unreadable; detail: string; eventId: string | null }

// One parser per schema version.
const parsers = new Map([['1.0', parseVersion1]])

/**
 * Parses the event in the text of a verified body; pass undefined if the body is not text. Never
 * throws: an unreadable body is returned as a problem, with a detail that never quotes the body.
 */
export function parseText(text: string | undefined): ParsedEvent {
  const value = parseJson(text)
  if (value === undefined) {
    return { problem: 'not_json', detail: 'The body is not JSON in UTF-8.', eventId: null }
  }
  if (!isObject(value)) {
    return { problem: 'not_an_event', detail: 'The body is not a JSON object.', eventId: null }
  }
  const version = Object.hasOwn(value, 'schema_version') ? value.schema_version : undefined
  if (typeof version !== 'string') {
    return unreadable(value, 'not_an_event', 'schema_version: expected a string')
  }
  const parse = parsers.get(version)
  if (!parse) {
    const known = [...parsers.keys()].join(', ')
    return unreadable(value, 'unknown_schema_version', `schema_version is not one of: ${known}`)
  }
  return parse(value)
}

function parseVersion1(value: JsonObject): ParsedEvent {
  const problems: string[] = []
  // The parsed value itself, so that handlers see exactly the signed data.
  if (isFeedEvent(value, problems)) return { event: value }
  return unreadable(value, 'not_an_event', problems.slice(0, 5).join('; '))
}

type JsonObject = Record<string, unknown>

function parseJson(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text)
  } catch {
    return undefined
  }
}

function unreadable(value: JsonObject, problem: Unreadable, detail: string): ParsedEvent {
  return { problem, detail, eventId: isEventId(value.id) ? value.id : null }
}

import type { FeedEvent } from './feed-event.ts'

type JsonObject = Record<string, unknown>

// A lone surrogate becomes U+FFFD in PostgreSQL, so that two ids would turn into one; a control
// character cannot stand in a header; and an index row holds about 2,700 bytes.
const eventId = /^[^\p{Cc}\p{Cs}]{1,255}$/u

const dateTime =
  /^(?:(?:\d\d[2468][048]|\d\d[13579][26]|\d\d0[48]|[02468][048]00|[13579][26]00)-02-29|\d{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12]\d|3[01])|(?:0[469]|11)-(?:0[1-9]|[12]\d|30)|02-(?:0[1-9]|1\d|2[0-8])))T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/

// Any scheme, and no normalizing: the link stays unchanged, and the app that shows it decides
// which schemes to allow.
const absoluteUri = /^[a-z][a-z0-9+.-]*:[^\s\p{Cc}]+$/iu

const anEventId = 'id: expected 1 to 255 well-formed characters without control characters'

/**
 * Whether a value is an event of version 1.0: a member that is not checked here may be anything, or
 * absent. Adds to `problems` why it is none: names members, and never quotes their values.
 */
export function isFeedEvent(
  value: JsonObject,
  problems: string[],
): value is JsonObject & FeedEvent {
  // Written out, because a loop over a table of members takes three times as long.
  need(isEventId(value.id), anEventId, problems)
  need(isText(value.type), 'type: expected a string', problems)
  need(isTime(value.created_at), 'created_at: expected a date and time with an offset', problems)
  const { data } = value
  if (!isObject(data)) {
    problems.push('data: expected an object')
    return false
  }
  need(isText(data.provider), 'data.provider: expected a string', problems)
  need(isText(data.category), 'data.category: expected a string', problems)
  const { subject } = data
  if (isObject(subject)) {
    need(isTextOrNull(subject.type), 'data.subject.type: expected a string or null', problems)
    need(isTextOrNull(subject.key), 'data.subject.key: expected a string or null', problems)
  } else {
    problems.push('data.subject: expected an object')
  }
  need(isText(data.title), 'data.title: expected a string', problems)
  need(isTextOrNull(data.summary), 'data.summary: expected a string or null', problems)
  need(isText(data.evidence), 'data.evidence: expected a string', problems)
  need(isText(data.confirmation), 'data.confirmation: expected a string', problems)
  need(isUri(data.source_url), 'data.source_url: expected an absolute URI', problems)
  need(
    isTimeOrNull(data.source_published_at),
    'data.source_published_at: expected null, or a date and time with an offset',
    problems,
  )
  need(isBenchmark(data.benchmark), 'data.benchmark: expected an object with objects', problems)
  return problems.length === 0
}

export function isEventId(value: unknown): value is string {
  return typeof value === 'string' && eventId.test(value)
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function need(isMet: boolean, problem: string, problems: string[]): void {
  if (!isMet) problems.push(problem)
}

function isText(value: unknown): boolean {
  return typeof value === 'string'
}

function isTextOrNull(value: unknown): boolean {
  return value === null || typeof value === 'string'
}

function isTime(value: unknown): boolean {
  return typeof value === 'string' && dateTime.test(value)
}

function isTimeOrNull(value: unknown): boolean {
  return value === null || isTime(value)
}

function isUri(value: unknown): boolean {
  return typeof value === 'string' && absoluteUri.test(value)
}

function isBenchmark(value: unknown): boolean {
  if (value === undefined) return true
  return isObject(value) && isEvidence(value.current) && isEvidence(value.previous)
}

function isEvidence(value: unknown): boolean {
  return value === undefined || value === null || isObject(value)
}

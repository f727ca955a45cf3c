import { recognizeCopies } from '@feed-receiver/core/internal'
import type { z } from 'zod'

/** The table of rejections: each reason with its response. */
export const rejections = {
  ...withStatus(400, 'invalid_request', {
    bad_parameter: 'A parameter is not valid. Correct the request.',
    bad_cursor:
      'The cursor is not valid. Send the nextCursor of an earlier response unchanged, with the same ' +
      'filters and a key of the same account, or start again without a cursor.',
    bad_destination: 'Alerts cannot be sent to this URL. Use another URL.',
    bad_url: 'The URL is malformed. Correct the request.',
    bad_json: 'The body is not valid JSON. Correct the request.',
    bad_message: 'The body is not an MCP message. Correct the request.',
    bad_http: 'The HTTP request is malformed.',
  }),
  ...withStatus(401, 'unauthorized', {
    bad_key:
      'The API key is missing or not valid. Send Authorization: Bearer feed_live_… with a key that ' +
      'has not been revoked.',
    bad_session:
      'This address requires the session of the sandbox, not an API key. Open the link that the ' +
      'sandbox printed at startup.',
  }),
  ...withStatus(403, 'pro_required', {
    pro_inactive:
      'The account of this API key has no active Pro access. Restore it, or stop polling.',
  }),
  ...withStatus(403, 'forbidden', {
    foreign_host: 'The Host header does not name this sandbox. Use its loopback address.',
    foreign_origin:
      'The Origin header names another site. Only pages of the sandbox may call this address.',
  }),
  ...withStatus(404, 'not_found', {
    not_found: 'Nothing exists at this address.',
    feature_off: 'Private account events are not enabled for this account.',
    event_missing: 'No change has this id.',
    account_event_missing: 'No account event has this reference.',
  }),
  ...withStatus(405, 'method_not_allowed', {
    bad_method: 'This address accepts only GET and HEAD.',
  }),
  ...withStatus(406, 'invalid_request', {
    not_acceptable: 'The client must accept both application/json and text/event-stream.',
  }),
  ...withStatus(408, 'invalid_request', {
    request_timeout: 'The request did not arrive in time. Send it again.',
  }),
  ...withStatus(409, 'conflict', {
    conflict: 'The request is not possible in the current state.',
  }),
  ...withStatus(409, 'destination_limit', {
    destination_limit:
      'The account has five destinations of all kinds, which is the maximum. Delete one first.',
  }),
  ...withStatus(409, 'destination_not_active', {
    destination_not_active:
      'The destination is not active, so it receives no deliveries. Send a test delivery: a 2xx ' +
      'answer activates it.',
  }),
  ...withStatus(409, 'rotation_in_progress', {
    rotation_in_progress:
      'A rotation is already in progress. Wait until the new secret signs, or cancel the rotation.',
  }),
  ...withStatus(413, 'invalid_request', {
    body_too_large: 'The body is too large. Send at most 1 MiB.',
  }),
  ...withStatus(415, 'invalid_request', {
    bad_media_type: 'The Content-Type must be application/json.',
  }),
  ...withStatus(429, 'rate_limited', {
    burst_exhausted:
      'The account sent too many requests in this minute. Wait for the seconds in Retry-After.',
  }),
  ...withStatus(429, 'usage_limit_reached', {
    usage_exhausted: 'The allowance of this month is used up. Wait for the seconds in Retry-After.',
  }),
  ...withStatus(431, 'invalid_request', {
    headers_too_large: 'The request headers are too large. Send fewer or shorter ones.',
  }),
  ...withStatus(500, 'internal_error', {
    failed: 'The sandbox failed. Read the reason in its output, and try again.',
  }),
  ...withStatus(503, 'unavailable', {
    unavailable: 'The sandbox is not ready. Try again in a few seconds.',
  }),
}

export type RejectionReason = keyof typeof rejections

function withStatus<Reason extends string>(
  status: number,
  code: string,
  errors: Record<Reason, string>,
): Record<Reason, { status: number; code: string; error: string }> {
  const rows = Object.entries<string>(errors).map(([reason, error]) => [
    reason,
    { status, code, error },
  ])
  return Object.fromEntries(rows)
}

export class Rejection extends Error {
  static {
    recognizeCopies(this, 'Rejection')
  }

  override name = 'Rejection'
  readonly reason: RejectionReason
  readonly headers: Record<string, string>

  constructor(
    reason: RejectionReason,
    { detail, headers = {} }: { detail?: string; headers?: Record<string, string> } = {},
  ) {
    // The name of an unknown member is repeated as received, and the journal stores only text.
    super(
      (detail ?? rejections[reason].error).slice(0, 500).replaceAll(/[\p{Cc}\p{Cs}]/gu, '\ufffd'),
    )
    this.reason = reason
    this.headers = headers
  }
}

/** For an action that is not possible now. The detail says what to do instead. */
export function conflict(detail: string): Rejection {
  return new Rejection('conflict', { detail })
}

export function badParameter(detail: string): Rejection {
  return new Rejection('bad_parameter', { detail })
}

/** For an action that names something missing. Says where to find what exists. */
export function missing(what: keyof typeof missingThings): Rejection {
  return new Rejection('not_found', { detail: missingThings[what] })
}

const missingThings = {
  account:
    'No account has this id. Use an id from the list of accounts, or create the account first.',
  key: 'No working API key has this id. Use the id of a key that is not revoked, from the list of keys.',
  event: 'No event has this id. Use an id from the list of events.',
  account_event:
    'No private event has this reference. Use a reference from /v1/account-events or from an export.',
  destination:
    'No destination has this id, or it was deleted. Use an id from the list of destinations.',
  delivery: 'No delivery has this id, or it was pruned. Use an id from the list of deliveries.',
  fault: 'No fault rule has this id, or it is used up. Use an id from the list of fault rules.',
}

/** @throws Rejection `not_found` for undefined */
export function found<Value>(value: Value | undefined, what: Parameters<typeof missing>[0]): Value {
  if (value === undefined) throw missing(what)
  return value
}

/** Deeper JSON can be parsed, but not be serialized again. */
const levels = 100

/** Validates input from outside. @throws Rejection `bad_parameter` */
export function parseInput<Input>(schema: z.ZodType<Input>, given: unknown): Input {
  if (isNestedDeeper(given, levels)) {
    throw badParameter(`The JSON is nested too deeply. Use at most ${levels} levels.`)
  }
  const parsed = schema.safeParse(given)
  if (parsed.success) return parsed.data
  // Says which parameters are wrong and how, without their values.
  const problems = parsed.error.issues.map(({ path, message }) => {
    const name = path.map(String).join('.')
    return name === '' ? message : `${name}: ${message}`
  })
  throw badParameter(`${problems.join('; ')}.`)
}

function isNestedDeeper(value: unknown, most: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (most === 0) return true
  return Object.values(value).some((one) => isNestedDeeper(one, most - 1))
}

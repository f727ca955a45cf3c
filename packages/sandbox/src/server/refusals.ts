/** Why a request was refused, with what it is answered: the one table of refusals (R79). */
export const refusals = {
  bad_parameter: [400, 'invalid_request', 'A parameter is not valid. Correct the request.'],
  bad_cursor: [
    400,
    'invalid_request',
    'The cursor is not valid. Send nextCursor of an earlier answer unchanged, with the same filters ' +
      'and an API key of the same account, or start again without a cursor.',
  ],
  bad_destination: [400, 'invalid_request', 'Alerts cannot be sent to this URL. Give another one.'],
  bad_url: [400, 'invalid_request', 'The address is not well-formed. Correct the request.'],
  bad_json: [400, 'invalid_request', 'The body is not JSON. Correct the request.'],
  bad_message: [400, 'invalid_request', 'The body is no message of MCP. Correct the request.'],
  bad_http: [400, 'invalid_request', 'This is not a well-formed HTTP request.'],
  bad_key: [
    401,
    'unauthorized',
    'The API key is missing or not valid. Send Authorization: Bearer feed_live_… with a key that ' +
      'has not been revoked.',
  ],
  bad_session: [
    401,
    'unauthorized',
    'This needs the session of the sandbox and takes no API key. Open the address that the sandbox ' +
      'printed when it started.',
  ],
  pro_inactive: [
    403,
    'pro_required',
    'The account of this API key has no active Pro access. Restore it, or stop polling.',
  ],
  foreign_host: [
    403,
    'forbidden',
    'The Host of this request is not one of the sandbox. Use its address on loopback.',
  ],
  foreign_origin: [
    403,
    'forbidden',
    'The Origin of this request is another site. Only pages of the sandbox itself may call this.',
  ],
  not_found: [404, 'not_found', 'There is nothing at this address.'],
  feature_off: [404, 'not_found', 'Private account events are not enabled for this account.'],
  event_missing: [404, 'not_found', 'There is no change of this id.'],
  account_event_missing: [404, 'not_found', 'There is no such account event.'],
  bad_method: [405, 'method_not_allowed', 'This address only answers GET and HEAD.'],
  not_acceptable: [
    406,
    'invalid_request',
    'The client must accept both application/json and text/event-stream.',
  ],
  request_timeout: [408, 'invalid_request', 'The request did not arrive in time.'],
  conflict: [409, 'conflict', 'The request is not possible in the present state.'],
  destination_limit: [
    409,
    'destination_limit',
    'The account has five destinations, of whatever kind, and that is the most. Delete one first.',
  ],
  rotation_in_progress: [
    409,
    'rotation_in_progress',
    'A new secret is about to take over already. Wait until it does, or cancel that rotation.',
  ],
  body_too_large: [413, 'invalid_request', 'The body is too large. Send at most 1 MiB.'],
  bad_media_type: [415, 'invalid_request', 'The body must be application/json.'],
  burst_spent: [
    429,
    'rate_limited',
    'Too many requests in this minute. Wait for as long as Retry-After says.',
  ],
  usage_spent: [
    429,
    'usage_limit_reached',
    'The allowance of this month is used up. Wait for as long as Retry-After says.',
  ],
  headers_too_large: [431, 'invalid_request', 'The headers of the request are too large.'],
  failed: [500, 'internal_error', 'The sandbox failed. Try again; the reason is in its output.'],
  unavailable: [503, 'unavailable', 'The sandbox is not ready. Try again in a few seconds.'],
} as const satisfies Record<string, readonly [status: number, code: string, error: string]>

export type RefusalReason = keyof typeof refusals

export class Refusal extends Error {
  override name = 'Refusal'
  readonly reason: RefusalReason
  readonly headers: Record<string, string>

  constructor(
    reason: RefusalReason,
    { detail, headers = {} }: { detail?: string; headers?: Record<string, string> } = {},
  ) {
    // The name of a member that nobody knows is told as it came, and the journal takes only text.
    super((detail ?? refusals[reason][2]).slice(0, 500).replaceAll(/[\p{Cc}\p{Cs}]/gu, '\ufffd'))
    this.reason = reason
    this.headers = headers
  }
}

/** What an action is answered that names what is not there, and where to find what is. */
export function missing(what: keyof typeof problems): Refusal {
  return new Refusal('not_found', { detail: problems[what] })
}

const problems = {
  account:
    'There is no account of this id. Take one from the list of accounts, or create it first.',
  key: 'There is no API key of this id that works. Take one that is not revoked from the list of keys.',
  event: 'There is no event of this id. Take one from the list of events.',
  account_event:
    'There is no private event of this reference. Take one from /v1/account-events or from an export.',
  destination:
    'There is no destination of this id, or it was deleted. Take one from the list of destinations.',
  delivery:
    'There is no delivery of this id, or it was forgotten. Take one from the list of deliveries.',
  fault:
    'There is no fault rule of this id, or it is used up. Take one from the list of fault rules.',
}

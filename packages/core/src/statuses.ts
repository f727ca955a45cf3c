/** The event is safe: stored now, or known already. */
export type Accepted = 'stored' | 'duplicate'

/** Authentic, but nothing a handler may see: kept aside for an operator. */
export type Quarantined =
  | 'not_json'
  | 'not_an_event'
  | 'unknown_schema_version'
  | 'id_mismatch'
  | 'id_conflict'

/** Nothing was kept. */
export type Refused =
  | 'signature_missing'
  | 'signature_malformed'
  | 'signature_mismatch'
  | 'outside_window'
  | 'method_not_allowed'
  | 'content_encoding'
  | 'body_too_large'
  | 'overloaded'
  | 'body_already_read'
  | 'body_incomplete'
  | 'body_timeout'
  | 'body_evicted'
  | 'client_gone'
  | 'secrets_unavailable'
  | 'store_timeout'
  | 'store_failed'
  | 'shutting_down'

/** Why a delivery was answered as it was; every delivery has exactly one reason. */
export type Reason = Accepted | Quarantined | Refused

/**
 * What each reason is answered with, and so what the sender does next. It pauses the whole feed on
 * 400, 401, 403, 404, 405, 410 and 422, and retries on everything else that is not a 2xx.
 */
export const statuses: Readonly<Record<Reason, number>> = {
  // Done: the sender goes on to the next event.
  stored: 202,
  duplicate: 200,
  not_json: 202,
  not_an_event: 202,
  unknown_schema_version: 202,
  id_mismatch: 202,
  id_conflict: 202,

  // Paused: sending it again could not help, and a forger is not the sender.
  signature_missing: 401,
  signature_malformed: 401,
  signature_mismatch: 401,
  method_not_allowed: 405,

  // Sent again, with a fresh timestamp: a wrong clock must not pause the feed.
  outside_window: 503,

  // Sent again, in case the limit or the proxy has been mended by then.
  body_too_large: 413,
  content_encoding: 415,

  // Sent again when we say: 429 is the one answer whose Retry-After the sender heeds.
  overloaded: 429,

  // Sent again: the fault is on this side, and it passes.
  body_already_read: 503,
  body_incomplete: 503,
  body_timeout: 503,
  body_evicted: 503,
  client_gone: 503,
  secrets_unavailable: 503,
  store_timeout: 503,
  store_failed: 503,
  shutting_down: 503,
}

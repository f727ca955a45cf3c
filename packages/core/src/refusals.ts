import type { Refused } from './statuses.ts'

/** What the answer says of each refusal: what happened, and what to do next. */
export const refusals: Readonly<Record<Refused, string>> = {
  signature_missing:
    'There is no Feed-Signature header. Deliveries are signed; check that no proxy drops the header.',
  signature_malformed:
    'The Feed-Signature header does not have the form t=<unix seconds>,v1=<64 lowercase hex digits>.',
  signature_mismatch:
    'No signing secret of this receiver made this signature over this body. Check that it has the ' +
    "destination's current secret, and that nothing rewrites the body on the way.",
  outside_window:
    'The signature is genuine, but its time is too far from the clock of this receiver. Check both clocks.',
  method_not_allowed: 'Deliveries are sent with POST.',
  content_encoding:
    'The signature covers the bytes that were sent, so the body must come without Content-Encoding.',
  body_too_large:
    'The body is larger than this receiver takes. Raise maxBodyBytes if the feed really sends this much.',
  overloaded:
    'This receiver is storing too many deliveries at once. Send this one again after Retry-After.',
  body_already_read:
    'Something read the body before its bytes could be verified. Mount the receiver before every ' +
    'body parser, or keep the bytes: express.json({ verify: keepRawBody }).',
  body_incomplete: 'The body is shorter than its Content-Length says.',
  body_timeout: 'The body arrived too slowly.',
  body_evicted:
    'The body was not complete, and this receiver waits for too many others. Send this one again.',
  client_gone: 'The connection was closed before the body was complete.',
  secrets_unavailable: 'This receiver has no signing secret to verify with at the moment.',
  store_timeout: 'The event could not be stored in time.',
  store_failed: 'The event could not be stored.',
  shutting_down: 'This receiver is shutting down.',
}

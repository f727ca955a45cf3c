/** What a caller can do wrong; a receiver's failures are records, never errors. */
export type SenderErrorCode =
  | 'invalid_secret'
  | 'invalid_event'
  | 'invalid_destination'
  | 'blocked_address'
  | 'invalid_header'
  | 'unknown_fixture'
  | 'unknown_fault'
  | 'sender_closed'

/** A mistake in a call, with a message that says what to do next; it never holds a secret. */
export class SenderError extends Error {
  override name = 'SenderError'
  readonly code: SenderErrorCode

  constructor(code: SenderErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

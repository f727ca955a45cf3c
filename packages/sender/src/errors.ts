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
  /** The message without its advice, for those who have other options. */
  readonly problem: string

  /** @param advice What to do next: options that a caller has, and its own users may not. */
  constructor(
    code: SenderErrorCode,
    problem: string,
    { advice, ...options }: ErrorOptions & { advice?: string } = {},
  ) {
    super(advice === undefined ? problem : `${problem} ${advice}`, options)
    this.code = code
    this.problem = problem
  }
}

import { errorWithCode, recognizeCopies } from '@feed-receiver/core/internal'

/** A caller's mistakes; failures of a receiver are records, never errors. */
export type SenderErrorCode =
  /** The signing secret or its rotation time is invalid. Pass the secret exactly as the service showed it. */
  | 'invalid_secret'
  /** The event has no id, or cannot be serialized as JSON. Pass plain data with an id, or the exact bytes. */
  | 'invalid_event'
  /** The target URL is not allowed. The message says why. */
  | 'invalid_destination'
  /** The target resolves to an address that is not public. Use a public one, or set allowLocal in development. */
  | 'blocked_address'
  /** The name or value of a header is not valid in HTTP. Correct it in the option headers. */
  | 'invalid_header'
  /** There is no fixture of this type. The message lists the known types. */
  | 'unknown_fixture'
  /** There is no fault with this name. The message lists the known names. */
  | 'unknown_fault'
  /** This sender is closed. Create a new one. */
  | 'sender_closed'

/** A mistake in a call. The message says what to do next and never contains a secret. */
export class SenderError extends errorWithCode<SenderErrorCode>('sender') {
  static {
    recognizeCopies(this, 'SenderError')
  }

  override name = 'SenderError'
  /** The message without its fix, for callers with other options. */
  readonly problem: string

  /**
   * @param fix What to do next, for callers with all options; their own users may have fewer.
   */
  constructor(
    code: SenderErrorCode,
    problem: string,
    { fix, ...options }: ErrorOptions & { fix?: string } = {},
  ) {
    super(code, [problem, fix].filter(Boolean).join(' '), options)
    this.problem = problem
  }
}

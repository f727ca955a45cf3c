import { errorWithCode, recognizeCopies } from '@feed-receiver/core/internal'

/** A caller's mistakes; failures of a receiver are records, never errors. */
export type SenderErrorCode =
  | 'invalid_secret'
  | 'invalid_event'
  | 'invalid_destination'
  | 'blocked_address'
  | 'invalid_header'
  | 'unknown_fixture'
  | 'unknown_fault'
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

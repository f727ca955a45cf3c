/**
 * Why a command ended without doing its work. `usage` exits with 2, all others with 1. The set is
 * closed.
 */
export type CliErrorCode =
  | 'usage'
  | 'unreadable_file'
  | 'no_secret'
  | 'no_token'
  | 'no_inbox'
  | 'not_found'
  | 'unreachable'
  | 'cannot_listen'
  | 'port_taken'
  | 'refused'

/** What a person at a terminal did or met, in one line that says what to do next. */
export class CliError extends Error {
  override name = 'CliError'
  readonly code: CliErrorCode

  constructor(code: CliErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

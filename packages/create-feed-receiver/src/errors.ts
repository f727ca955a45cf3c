/**
 * Why the command created nothing, or not everything. `usage` exits with 2, `interrupted` with 130,
 * all others with 1. The set is closed.
 */
export type CreateErrorCode =
  | 'usage'
  | 'interrupted'
  | 'not_empty'
  | 'no_app'
  | 'already_there'
  | 'unsupported_settings'
  | 'unreadable_file'
  | 'not_written'
  | 'not_installed'

/** An error for a person at a terminal, in a sentence that says what to do next. */
export class CreateError extends Error {
  override name = 'CreateError'
  readonly code: CreateErrorCode

  constructor(code: CreateErrorCode, message: string, cause?: unknown) {
    super(message, { cause })
    this.code = code
  }
}

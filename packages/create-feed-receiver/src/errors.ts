/**
 * Why nothing was made, or not all. `usage` exits with 2, `interrupted` with 130, all others with 1.
 * The set is closed.
 */
export type CreateErrorCode =
  | 'usage'
  | 'interrupted'
  | 'not_empty'
  | 'no_app'
  | 'already_there'
  | 'unreadable_file'
  | 'not_written'
  | 'not_installed'

/** What a person at a terminal did or met, in a sentence that says what to do next. */
export class CreateError extends Error {
  override name = 'CreateError'
  readonly code: CreateErrorCode

  constructor(code: CreateErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

/**
 * Why the command created nothing, or not everything. `usage` exits with 2, `interrupted` with 130,
 * all others with 1. The set is closed.
 */
export type CreateErrorCode =
  /** The command line is wrong. Nothing was changed. */
  | 'usage'
  /** Ctrl-C ended the command. The message says what is left. */
  | 'interrupted'
  /** The folder of the new app contains files, or is a file. */
  | 'not_empty'
  /** `--into` finds no `package.json`, or none of the supported frameworks in it. */
  | 'no_app'
  /** The feed was added before. Nothing was changed. */
  | 'already_there'
  /** With a setting or the framework of the app the route would not compile or install, so nothing was changed. The message says what to change. */
  | 'unsupported_settings'
  /** A file of the app is not valid JSON, or cannot be read. */
  | 'unreadable_file'
  /** A file cannot be written. The message says what was undone. */
  | 'not_written'
  /** The package manager failed, so the packages are not installed. */
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

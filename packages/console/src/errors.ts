export type ConsoleErrorCode = 'no_access_rule' | 'bad_option' | 'page_missing'

/** A mistake in the setup of a console. The message says what to do next. */
export class ConsoleError extends Error {
  override name = 'ConsoleError'
  readonly code: ConsoleErrorCode

  constructor(code: ConsoleErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

import { recognizeCopies } from '@feed-receiver/core'

export type ConsoleErrorCode = 'no_access_rule' | 'bad_option' | 'page_missing'

/** Where the documentation explains each code. */
const entries = 'https://feed-receiver.github.io/feed-receiver/reference/errors#console-'

/** A mistake in the setup of a console. The message says what to do next. */
export class ConsoleError extends Error {
  static {
    recognizeCopies(this, 'ConsoleError')
  }

  override name = 'ConsoleError'
  readonly code: ConsoleErrorCode

  constructor(code: ConsoleErrorCode, message: string, options?: ErrorOptions) {
    super(`${message} More: ${entries}${code}`, options)
    this.code = code
  }
}

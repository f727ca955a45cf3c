import { recognizeCopies } from './recognize.ts'

export type FeedReceiverErrorCode =
  | 'bad_secret'
  | 'bad_option'
  | 'bad_event'
  | 'bad_body'
  | 'secrets_late'

/** Where the documentation explains each code. */
const entries = 'https://feed-receiver.github.io/feed-receiver/reference/errors#core-'

/** A mistake in the setup or use of a receiver; the message says what to do next. */
export class FeedReceiverError extends Error {
  static {
    recognizeCopies(this, 'FeedReceiverError')
  }

  override name = 'FeedReceiverError'
  readonly code: FeedReceiverErrorCode

  constructor(code: FeedReceiverErrorCode, message: string, options?: ErrorOptions) {
    super(`${message} More: ${entries}${code}`, options)
    this.code = code
  }
}

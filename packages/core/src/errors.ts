export type FeedReceiverErrorCode = 'bad_secret' | 'bad_option' | 'bad_event' | 'secrets_late'

/** A mistake in the setup or use of a receiver; the message says what to do next. */
export class FeedReceiverError extends Error {
  override name = 'FeedReceiverError'
  readonly code: FeedReceiverErrorCode

  constructor(code: FeedReceiverErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

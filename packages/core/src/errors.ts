import { errorWithCode } from './error-with-code.ts'
import { recognizeCopies } from './recognize.ts'

export type FeedReceiverErrorCode =
  | 'bad_secret'
  | 'bad_option'
  | 'bad_event'
  | 'bad_body'
  | 'secrets_late'

/** A mistake in the setup or use of a receiver; the message says what to do next. */
export class FeedReceiverError extends errorWithCode<FeedReceiverErrorCode>('core') {
  static {
    recognizeCopies(this, 'FeedReceiverError')
  }

  override name = 'FeedReceiverError'
}

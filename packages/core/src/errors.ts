import { errorWithCode } from './error-with-code.ts'
import { recognizeCopies } from './recognize.ts'

export type FeedReceiverErrorCode =
  /** A signing secret is missing or does not have the form feed_whsec_…. The message says which one and why, and never quotes it. */
  | 'bad_secret'
  /** An option of createReceiver is invalid. The message names it. */
  | 'bad_option'
  /** toLambda or fromLambda was given an event that is not an HTTP request. Invoke the function through a function URL, API Gateway or an Application Load Balancer. */
  | 'bad_event'
  /** A request has a body that is neither bytes nor a stream, such as a parsed object or a Blob. Pass the raw bytes as a Uint8Array or an ArrayBuffer, or the stream of the request. */
  | 'bad_body'
  /** The function that provides the secrets took too long. Make it time out sooner, or cache the secrets. */
  | 'secrets_late'

/** A mistake in the setup or use of a receiver; the message says what to do next. */
export class FeedReceiverError extends errorWithCode<FeedReceiverErrorCode>('core') {
  static {
    recognizeCopies(this, 'FeedReceiverError')
  }

  override name = 'FeedReceiverError'
}

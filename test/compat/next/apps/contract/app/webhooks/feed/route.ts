import type { Receiver } from '@feed-receiver/core'
import { toNext } from '@feed-receiver/next'

declare global {
  /** The receiver of the current test. The app is built and started only once. */
  var contractReceiver: Receiver
}

function handle(request: Request): Promise<Response> {
  return toNext(globalThis.contractReceiver)(request)
}

export {
  handle as DELETE,
  handle as GET,
  handle as HEAD,
  handle as OPTIONS,
  handle as PATCH,
  handle as POST,
  handle as PUT,
}

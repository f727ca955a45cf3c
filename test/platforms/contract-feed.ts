import type { Receiver } from '@feed-receiver/core'

declare global {
  /** The receiver of the test that is under way; each program is started or built only once. */
  var contractReceiver: Receiver
}

/** Takes the place of a program's feed.ts, so that each test mounts a receiver of its own. */
export const receiver: Receiver = {
  receive: (request) => globalThis.contractReceiver.receive(request),
  stop: () => globalThis.contractReceiver.stop(),
  [Symbol.asyncDispose]: () => globalThis.contractReceiver.stop(),
}

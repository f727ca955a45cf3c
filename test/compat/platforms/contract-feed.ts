import type { Receiver } from '@feed-receiver/core'

declare global {
  /** The receiver of the current test. Each program is started or built only once. */
  var contractReceiver: Receiver
}

/** Replaces the feed.ts of a program, so that each test mounts its own receiver. */
export const receiver: Receiver = {
  receive: (request) => globalThis.contractReceiver.receive(request),
  stop: () => globalThis.contractReceiver.stop(),
  [Symbol.asyncDispose]: () => globalThis.contractReceiver.stop(),
}

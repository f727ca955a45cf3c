import type { DeliveryInbox, Receiver, ReceiverOptions } from '@feed-receiver/core'

/** The exports that a worker uses, from the entry for Node or the one for the web. */
export interface Core {
  createReceiver(options: ReceiverOptions): Receiver
  toFetch(receiver: Receiver): (request: Request) => Promise<Response>
}

/** The secret with which the tests sign. */
export const secret = 'feed_whsec_edge_tests_0123456789abcdef'

/** Short, because the tests wait for them. */
export const limits = { deadlineMs: 1_000, maxInFlight: 8, maxBodyBytes: 65_536 }

/** A worker with one receiver for all requests of its isolate. */
export function makeWorker({ createReceiver, toFetch }: Core) {
  const receiver = createReceiver({ secrets: secret, inbox: inboxInMemory(), ...limits })
  return { fetch: toFetch(receiver) }
}

/** Stores events in memory, and hangs for an event with the title `hangs`. */
function inboxInMemory(): DeliveryInbox {
  const bodies = new Map<string, string>()
  return {
    async accept({ event, body, doubt }) {
      if (event.data.title === 'hangs') await new Promise(() => {})
      const text = new TextDecoder().decode(body)
      const known = bodies.get(event.id)
      if (known === text) return 'duplicate'
      if (known !== undefined || doubt) return { quarantined: doubt ?? 'id_conflict' }
      bodies.set(event.id, text)
      return 'stored'
    },
    async quarantine() {},
  }
}

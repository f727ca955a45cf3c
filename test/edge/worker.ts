import type { DeliveryInbox, Receiver, ReceiverOptions } from '@feed-receiver/core'

/** What a worker takes of the kit: of its entry for Node, or of the one for the web. */
export interface Core {
  createReceiver(options: ReceiverOptions): Receiver
  toFetch(receiver: Receiver): (request: Request) => Promise<Response>
}

/** Of the tests, which sign with it. */
export const secret = 'feed_whsec_edge_tests_0123456789abcdef'

/** Short, since the tests wait for them. */
export const limits = { deadlineMs: 1_000, maxInFlight: 8, maxBodyBytes: 65_536 }

/** A worker whose receiver is made once, for all requests of its isolate. */
export function makeWorker({ createReceiver, toFetch }: Core) {
  const receiver = createReceiver({ secrets: secret, inbox: inboxInMemory(), ...limits })
  return { fetch: toFetch(receiver) }
}

/** Keeps events in memory; an event with the title `hangs` never gets there. */
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

import type { Receiver } from './receiver.ts'
import type { ReceiverRequest } from './request.ts'

/** Mounts a receiver on any server that speaks fetch: Hono, Bun, Deno, a service worker. */
export function toFetch(receiver: Receiver): (request: Request) => Promise<Response> {
  return async (request) => {
    const delivery = fromFetch(request)
    const { status, headers, body } = await receiver.receive(delivery)
    return new Response(body, { status, headers })
  }
}

/** Takes a delivery from a fetch request. A body that something has read already is lost. */
export function fromFetch({ method, headers, body, bodyUsed }: Request): ReceiverRequest {
  return { method, headers, body: bodyUsed ? 'already_read' : (body ?? new Uint8Array()) }
}

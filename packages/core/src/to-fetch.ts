import type { Receiver } from './receiver.ts'
import type { Body, ReceiverRequest } from './request.ts'

/** Mounts a receiver on any server that speaks fetch: Hono, Bun, Deno, a service worker. */
export function toFetch(receiver: Receiver): (request: Request) => Promise<Response> {
  return async (request) => {
    const delivery = fromFetch(request)
    const { status, headers, body } = await receiver.receive(delivery)
    return new Response(body, { status, headers })
  }
}

/** What a receiver needs of a fetch `Request`; that of Azure Functions has it, too. */
export interface FetchRequest {
  method: string
  headers: { get(name: string): string | null }
  body: Request['body'] | AsyncIterable<Uint8Array>
  bodyUsed: boolean
}

/** Takes a delivery from a fetch request. A body that something has read already is lost. */
export function fromFetch(request: FetchRequest): ReceiverRequest {
  return { method: request.method, headers: request.headers, body: findBody(request) }
}

// srvx, under h3 and Elysia, makes the body when it is asked for, and throws if it was read by then.
function findBody(request: FetchRequest): Body {
  try {
    const { body, bodyUsed } = request
    return bodyUsed ? 'already_read' : (body ?? new Uint8Array())
  } catch {
    return 'already_read'
  }
}

import type { Receiver } from './receiver.ts'
import type { Body, ReceiverRequest } from './request.ts'

/** Mounts a receiver on any server with fetch handlers: Hono, Bun, Deno, a service worker. */
export function toFetch(receiver: Receiver): (request: Request) => Promise<Response> {
  return async (request) => {
    const delivery = fromFetch(request)
    const { status, headers, body } = await receiver.receive(delivery)
    return new Response(body, { status, headers })
  }
}

/** The part of a fetch `Request` that a receiver needs; that of Azure Functions fits, too. */
export interface FetchRequest {
  method: string
  headers: { get(name: string): string | null }
  body: Request['body'] | AsyncIterable<Uint8Array>
  bodyUsed: boolean
}

/** Makes a receiver request from a fetch request. A body that was already read is lost. */
export function fromFetch(request: FetchRequest): ReceiverRequest {
  return { method: request.method, headers: request.headers, body: findBody(request) }
}

// srvx, under h3 and Elysia, creates the body on access, and throws if it was already read.
function findBody(request: FetchRequest): Body {
  try {
    const { body, bodyUsed } = request
    return bodyUsed ? 'already_read' : (body ?? new Uint8Array())
  } catch {
    return 'already_read'
  }
}

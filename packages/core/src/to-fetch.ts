import type { Receiver } from './receiver.ts'

const empty = new Uint8Array()

/** Mounts a receiver on any server that speaks fetch: Hono, Next route handlers, Bun, Deno. */
export function toFetch(receiver: Receiver): (request: Request) => Promise<Response> {
  return async (request) => {
    const body = request.bodyUsed ? 'already_read' : (request.body ?? empty)
    const reply = await receiver.receive({ method: request.method, headers: request.headers, body })
    return new Response(reply.body, reply)
  }
}

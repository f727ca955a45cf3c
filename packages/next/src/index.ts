import { fromFetch, type Receiver } from '@feed-receiver/core'

/** Mounts a receiver as a route handler of the App Router: `export const POST = toNext(receiver)`. */
export function toNext(receiver: Receiver): (request: Request) => Promise<Response> {
  return async (request) => {
    const delivery = fromFetch(request)
    const { status, headers, body } = await receiver.receive(delivery)
    return new Response(body, { status, headers })
  }
}

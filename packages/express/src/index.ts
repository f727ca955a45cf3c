import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Receiver } from '@feed-receiver/core'
import { fromNode } from '@feed-receiver/core/node'

export { keepRawBody } from '@feed-receiver/core/node'

/**
 * A request handler of Express. It names no type of Express, because an app in JavaScript, or one
 * with a strict layout of packages, has no types of Express for this package to find.
 */
export type ExpressHandler = (
  request: IncomingMessage,
  response: ServerResponse,
  next?: unknown,
) => Promise<void>

/** Mounts a receiver in an Express app: `app.post('/webhooks/feed', toExpress(receiver))`. */
export function toExpress(receiver: Receiver): ExpressHandler {
  return async (request, response) => {
    const delivery = fromNode(request)
    const { status, headers, body } = await receiver.receive(delivery)
    if (!response.headersSent) response.writeHead(status, headers).end(body)
  }
}

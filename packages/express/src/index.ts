import type { Receiver } from '@feed-receiver/core'
import { fromNode } from '@feed-receiver/core/node'
import type { RequestHandler } from 'express'

export { keepRawBody } from '@feed-receiver/core/node'

/** Mounts a receiver in an Express app: `app.post('/webhooks/feed', toExpress(receiver))`. */
export function toExpress(receiver: Receiver): RequestHandler {
  return async (request, response) => {
    const delivery = fromNode(request)
    const { status, headers, body } = await receiver.receive(delivery)
    if (!response.headersSent) response.writeHead(status, headers).end(body)
  }
}

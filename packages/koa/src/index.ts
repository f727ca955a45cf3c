import type { Receiver } from '@feed-receiver/core'
import { fromNode } from '@feed-receiver/core/node'
import type { Middleware } from 'koa'

/** Mounts a receiver in a Koa app: `router.post('/webhooks/feed', toKoa(receiver))`. */
export function toKoa(receiver: Receiver): Middleware {
  return async (context) => {
    const delivery = fromNode(context.req)
    const { status, headers, body } = await receiver.receive(delivery)
    context.status = status
    context.set(headers)
    context.body = body
  }
}

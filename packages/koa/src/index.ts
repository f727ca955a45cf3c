import type { Receiver } from '@feed-receiver/core'
import { fromNode } from '@feed-receiver/core/node'
import type { KoaMiddleware } from './context.ts'

export type { KoaContext, KoaMiddleware } from './context.ts'

/** Mounts a receiver in a Koa app: `router.post('/webhooks/feed', toKoa(receiver))`. */
export function toKoa(receiver: Receiver): KoaMiddleware {
  return async (context) => {
    const delivery = fromNode(context.req)
    const { status, headers, body } = await receiver.receive(delivery)
    context.status = status
    context.set(headers)
    context.body = body
  }
}

import { createServer, type Server } from 'node:http'
import type { Receiver } from '@feed-receiver/core'
import { fromNode } from '@feed-receiver/core/node'
import { createApp, createRouter, defineEventHandler, readBody, toNodeListener } from 'h3'

/** Serves the feed beside a route that parses JSON. */
export async function startServer(receiver: Receiver, port: number): Promise<Server> {
  // #region app
  const router = createRouter()
  const receive = defineEventHandler(async ({ node: { req, res } }) => {
    const { status, headers, body } = await receiver.receive(fromNode(req))
    res.writeHead(status, headers).end(body)
  })
  router.use('/webhooks/feed', receive)
  // #endregion
  const order = defineEventHandler(async (event) => {
    const { count } = await readBody<{ count: number }>(event)
    event.node.res.statusCode = 201
    return { ordered: count }
  })
  router.post('/orders', order)
  // #region serve
  const app = createApp().use(router)
  const server = createServer(toNodeListener(app)).listen(port)
  // #endregion
  return server
}

import { createServer, type Server } from 'node:http'
import { toFetch, type Receiver } from '@feed-receiver/core'
import { fromNode } from '@feed-receiver/core/node'
import { createApp, defineEventHandler, fromWebHandler, readBody, toNodeListener } from 'h3'

/** Middleware reads the body before the route of the feed. */
export async function behindReader(receiver: Receiver, port: number): Promise<Server> {
  const app = createApp()
  app.use(defineEventHandler(async (event) => void (await readBody(event))))
  app.use(
    '/webhooks/feed',
    defineEventHandler(async ({ node: { req, res } }) => {
      const { status, headers, body } = await receiver.receive(fromNode(req))
      res.writeHead(status, headers).end(body)
    }),
  )
  return createServer(toNodeListener(app)).listen(port)
}

/** The feed uses the fetch request that h3 creates. */
export async function asWebHandler(receiver: Receiver, port: number): Promise<Server> {
  const app = createApp().use('/webhooks/feed', fromWebHandler(toFetch(receiver)))
  return createServer(toNodeListener(app)).listen(port)
}

import type { Server } from 'node:http'
import { serve } from '@hono/node-server'
import { toFetch, type Receiver } from '@feed-receiver/core'
import { Hono } from 'hono'

/** Serves the feed beside a route that parses JSON. */
export async function startServer(receiver: Receiver, port: number): Promise<Server> {
  // #region app
  const receive = toFetch(receiver)
  const app = new Hono()
  app.all('/webhooks/feed', (context) => receive(context.req.raw))
  // #endregion
  app.post('/orders', async (context) => {
    const { count } = await context.req.json<{ count: number }>()
    return context.json({ ordered: count }, 201)
  })
  // #region serve
  const server = serve({ fetch: app.fetch, port })
  // #endregion
  return server as Server
}

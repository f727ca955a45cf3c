import type { Server } from 'node:http'
import { toFetch, type Receiver } from '@feed-receiver/core'
import { H3, serve } from 'h3'

/** Serves the feed beside a route that parses JSON. */
export async function startServer(receiver: Receiver, port: number): Promise<Server> {
  // #region app
  const receive = toFetch(receiver)
  const app = new H3()
  app.all('/webhooks/feed', (event) => receive(event.req))
  // #endregion
  app.post('/orders', async (event) => {
    const { count } = (await event.req.json()) as { count: number }
    event.res.status = 201
    return { ordered: count }
  })
  // #region serve
  const server = serve(app, { port })
  // #endregion
  return server.node?.server as Server
}

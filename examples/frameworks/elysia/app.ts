import type { Server } from 'node:http'
import { node } from '@elysiajs/node'
import { toFetch, type Receiver } from '@feed-receiver/core'
import { Elysia, t } from 'elysia'

/** Serves the feed beside a route that parses JSON. */
export async function startServer(receiver: Receiver, port: number): Promise<Server> {
  // #region app
  const receive = toFetch(receiver)
  const app = new Elysia({ adapter: node() })
  app.all('/webhooks/feed', ({ request }) => receive(request), { parse: 'none' })
  // #endregion
  app.post('/orders', ({ body, status }) => status(201, { ordered: body.count }), {
    body: t.Object({ count: t.Number() }),
  })
  return new Promise((resolve) => {
    app.listen(port, (server) => resolve(nodeServerOf(server)))
  })
}

/** The adapter has the srvx server in `raw`, which its types omit. */
function nodeServerOf(server: object): Server {
  return (server as { raw: { node: { server: Server } } }).raw.node.server
}

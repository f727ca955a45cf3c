import type { Server } from 'node:http'
import type { Receiver } from '@feed-receiver/core'
import { fromNode } from '@feed-receiver/core/node'
import hapi from '@hapi/hapi'

/** Serves the feed beside a route that parses JSON. */
export async function startServer(receiver: Receiver, port: number): Promise<Server> {
  // #region app
  const server = hapi.server({ port })
  server.ext('onRequest', async ({ path, raw: { req } }, toolkit) => {
    if (path !== '/webhooks/feed') return toolkit.continue
    const { status, headers, body } = await receiver.receive(fromNode(req))
    const response = toolkit.response(body).code(status).takeover()
    Object.assign(response.headers, headers)
    return response
  })
  // #endregion
  server.route<{ Payload: { count: number } }>({
    method: 'POST',
    path: '/orders',
    handler: ({ payload }, toolkit) => toolkit.response({ ordered: payload.count }).code(201),
  })
  // #region serve
  await server.start()
  // #endregion
  return server.listener
}

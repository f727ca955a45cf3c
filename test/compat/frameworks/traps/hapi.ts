import type { Server } from 'node:http'
import type { Receiver } from '@feed-receiver/core'
import { fromNode } from '@feed-receiver/core/node'
import hapi, { type RouteOptionsPayload, type Server as HapiServer } from '@hapi/hapi'

/** The feed as a route whose payload hapi does not parse. */
export async function asRoute(receiver: Receiver, port: number): Promise<Server> {
  return startRoute(receiver, port, { parse: false, output: 'stream' })
}

/** The feed as a route whose payload hapi parses, which is the default. */
export async function asParsingRoute(receiver: Receiver, port: number): Promise<Server> {
  return startRoute(receiver, port, {})
}

/** The feed as a route of a server that requires a login for all routes. */
export async function asRouteBehindLogin(receiver: Receiver, port: number): Promise<Server> {
  return startRoute(receiver, port, { parse: false, output: 'stream' }, withLogin)
}

async function startRoute(
  receiver: Receiver,
  port: number,
  payload: RouteOptionsPayload,
  prepare?: (server: HapiServer) => void,
) {
  const server = hapi.server({ port })
  prepare?.(server)
  server.route({
    method: 'POST',
    path: '/webhooks/feed',
    options: { payload },
    handler: async ({ raw: { req } }, toolkit) => {
      const { status, headers, body } = await receiver.receive(fromNode(req))
      const response = toolkit.response(body).code(status)
      Object.assign(response.headers, headers)
      return response
    },
  })
  await server.start()
  return server.listener
}

/** The feed as in the guide, in such a server. */
export async function asExtensionBesideLogin(receiver: Receiver, port: number): Promise<Server> {
  const server = hapi.server({ port })
  withLogin(server)
  server.ext('onRequest', async ({ path, raw: { req } }, toolkit) => {
    if (path !== '/webhooks/feed') return toolkit.continue
    const { status, headers, body } = await receiver.receive(fromNode(req))
    const response = toolkit.response(body).code(status).takeover()
    Object.assign(response.headers, headers)
    return response
  })
  await server.start()
  return server.listener
}

/** The response of the receiver bypasses hapi. */
export async function asRawAnswer(receiver: Receiver, port: number): Promise<Server> {
  const server = hapi.server({ port })
  server.ext('onRequest', async ({ path, raw: { req, res } }, toolkit) => {
    if (path !== '/webhooks/feed') return toolkit.continue
    const { status, headers, body } = await receiver.receive(fromNode(req))
    res.writeHead(status, headers).end(body)
    return toolkit.abandon
  })
  await server.start()
  return server.listener
}

function withLogin(server: HapiServer): void {
  server.auth.scheme('nobody', () => ({
    authenticate: (_request, toolkit) =>
      toolkit.response({ error: 'Log in first.' }).code(401).takeover(),
  }))
  server.auth.strategy('nobody', 'nobody')
  server.auth.default('nobody')
}

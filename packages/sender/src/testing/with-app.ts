import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Receiver } from '@feed-receiver/core'
import { fromNode, toNodeHandler, type FetchHandler } from '@feed-receiver/core/node'

/**
 * A target for deliveries: a URL; an Express or Koa app or a Fastify instance; a fetch handler such
 * as Next's, or an object with one as `POST` or `fetch`; a receiver. A function with one parameter
 * counts as a fetch handler, one with more as a handler of `node:http`, as an Express app is.
 */
export type App =
  | string
  | URL
  | NodeHandler
  | FetchHandler
  | { callback(): NodeHandler }
  | { ready(): PromiseLike<unknown>; routing: NodeHandler }
  | { POST: FetchHandler }
  | { fetch: FetchHandler }
  | Pick<Receiver, 'receive'>

// A method type, because each framework narrows the pair to its own types.
export type NodeHandler = {
  handle(request: IncomingMessage, response: ServerResponse): unknown
}['handle']

export interface OpenApp {
  origin: string
  /** The path of a URL; undefined if the app has no URL of its own. */
  path: string | undefined
}

/** Starts an app on a local port while `run` runs; an app with a URL runs already. */
export async function withApp<T>(app: App, run: (opened: OpenApp) => Promise<T>): Promise<T> {
  if (typeof app === 'string' || app instanceof URL) {
    const { origin, pathname, search } = new URL(app)
    return await run({ origin, path: pathname + search })
  }
  const listener = await listenerOf(app)
  const server = createServer((request, response) => void listener(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  // Without `using`, because Jest 29 has no Symbol.asyncDispose.
  try {
    return await run({ origin: `http://127.0.0.1:${port}`, path: undefined })
  } finally {
    server.close()
    server.closeAllConnections()
    await once(server, 'close')
  }
}

async function listenerOf(app: Exclude<App, string | URL>): Promise<NodeHandler> {
  if ('receive' in app) return receiving(app)
  if ('ready' in app) {
    await app.ready()
    return app.routing.bind(app)
  }
  if ('callback' in app) return app.callback()
  if ('POST' in app) return fetching(app.POST)
  if (typeof app === 'function') return isNodeHandler(app) ? app : fetching(app)
  return fetching((request) => app.fetch(request))
}

function isNodeHandler(handler: NodeHandler | FetchHandler): handler is NodeHandler {
  return handler.length > 1
}

function receiving(receiver: Pick<Receiver, 'receive'>): NodeHandler {
  return async (request, response) => {
    const { status, headers, body } = await receiver.receive(fromNode(request))
    response.writeHead(status, headers).end(body)
  }
}

/** An error of a handler becomes a 500, as in Next. */
function fetching(handler: FetchHandler): NodeHandler {
  const handle = toNodeHandler(handler)
  return async (request, response) => {
    try {
      await handle(request, response)
    } catch {
      if (response.headersSent) response.destroy()
      else response.writeHead(500).end()
    }
  }
}

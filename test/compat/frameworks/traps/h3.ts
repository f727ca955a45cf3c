import type { Server } from 'node:http'
import { toFetch, type Receiver } from '@feed-receiver/core'
import { bodyLimit, H3, serve } from 'h3'

/** Middleware reads the body before the route of the feed. */
export async function behindReader(receiver: Receiver, port: number): Promise<Server> {
  const receive = toFetch(receiver)
  const app = new H3()
  app.use(async (event) => void (await event.req.text()))
  app.all('/webhooks/feed', (event) => receive(event.req))
  return serve(app, { port }).node?.server as Server
}

/** Like `behindReader`, with a copy of the request. */
export async function behindReaderOfCopy(receiver: Receiver, port: number): Promise<Server> {
  const receive = toFetch(receiver)
  const app = new H3()
  app.use(async (event) => void (await event.req.clone().text()))
  app.all('/webhooks/feed', (event) => receive(event.req))
  return serve(app, { port }).node?.server as Server
}

/** Middleware has a lower body limit than the receiver. */
export async function behindLimit(receiver: Receiver, port: number): Promise<Server> {
  const receive = toFetch(receiver)
  const app = new H3()
  app.use(bodyLimit(100_000))
  app.all('/webhooks/feed', (event) => receive(event.req))
  return serve(app, { port }).node?.server as Server
}

import type { Server } from 'node:http'
import { node } from '@elysiajs/node'
import { toFetch, type Receiver } from '@feed-receiver/core'
import { Elysia, t, type AnyElysia } from 'elysia'

/** The handler names `body`, so Elysia parses it. */
export async function namesBody(receiver: Receiver, port: number): Promise<Server> {
  const receive = toFetch(receiver)
  const bodies: unknown[] = []
  const app = new Elysia({ adapter: node() })
  app.all('/webhooks/feed', ({ body, request }) => {
    bodies.push(body)
    return receive(request)
  })
  return listen(app, port)
}

/** A hook before the route names `body`. */
export async function hookNamesBody(receiver: Receiver, port: number): Promise<Server> {
  const receive = toFetch(receiver)
  const app = new Elysia({ adapter: node() })
  app.onBeforeHandle(({ body }) => void body)
  app.all('/webhooks/feed', ({ request }) => receive(request))
  return listen(app, port)
}

/** The same, with the option from the guide. */
export async function hookWithoutParser(receiver: Receiver, port: number): Promise<Server> {
  const receive = toFetch(receiver)
  const app = new Elysia({ adapter: node() })
  app.onBeforeHandle(({ body }) => void body)
  app.all('/webhooks/feed', ({ request }) => receive(request), { parse: 'none' })
  return listen(app, port)
}

/** A guard before the route has a body schema. */
export async function behindGuard(receiver: Receiver, port: number): Promise<Server> {
  const receive = toFetch(receiver)
  const app = new Elysia({ adapter: node() })
  app.guard({ body: t.Object({ count: t.Number() }) })
  app.all('/webhooks/feed', ({ request }) => receive(request))
  return listen(app, port)
}

/** The same, with the option from the guide. */
export async function behindGuardWithoutParser(receiver: Receiver, port: number): Promise<Server> {
  const receive = toFetch(receiver)
  const app = new Elysia({ adapter: node() })
  app.guard({ body: t.Object({ count: t.Number() }) })
  app.all('/webhooks/feed', ({ request }) => receive(request), { parse: 'none' })
  return listen(app, port)
}

function listen(app: AnyElysia, port: number): Promise<Server> {
  return new Promise((resolve, reject) => {
    app.listen(port, (server: object) => {
      if (app.server === null)
        resolve((server as { raw: { node: { server: Server } } }).raw.node.server)
      else reject(new Error('The guide says that app.server stays null.'))
    })
  })
}

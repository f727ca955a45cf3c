import { toFetch, type Receiver } from '@feed-receiver/core'
import { Elysia, t, type AnyElysia } from 'elysia'

/** The handler names `body`, so Elysia parses it. */
export function namesBody(receiver: Receiver, port: number): AnyElysia {
  const receive = toFetch(receiver)
  const bodies: unknown[] = []
  const app = new Elysia()
  app.all('/webhooks/feed', ({ body, request }) => {
    bodies.push(body)
    return receive(request)
  })
  return app.listen(port)
}

/** A guard before the route has a body schema. */
export function behindGuard(receiver: Receiver, port: number): AnyElysia {
  const receive = toFetch(receiver)
  const app = new Elysia()
  app.guard({ body: t.Object({ count: t.Number() }) })
  app.all('/webhooks/feed', ({ request }) => receive(request))
  return app.listen(port)
}

/** The same, with the option from the guide. */
export function behindGuardWithoutParser(receiver: Receiver, port: number): AnyElysia {
  const receive = toFetch(receiver)
  const app = new Elysia()
  app.guard({ body: t.Object({ count: t.Number() }) })
  app.onBeforeHandle(({ body }) => void body)
  app.all('/webhooks/feed', ({ request }) => receive(request), { parse: 'none' })
  return app.listen(port)
}

/** Bun limits bodies below the limit of the receiver. */
export function withSmallBodies(receiver: Receiver, port: number): AnyElysia {
  const receive = toFetch(receiver)
  const app = new Elysia({ serve: { maxRequestBodySize: 100_000 } })
  app.all('/webhooks/feed', ({ request }) => receive(request), { parse: 'none' })
  return app.listen(port)
}

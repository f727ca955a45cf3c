import { toFetch, type Receiver } from '@feed-receiver/core'
import { Elysia, t, type AnyElysia } from 'elysia'

/** Serves the feed beside a route that parses JSON. */
export function startServer(receiver: Receiver, port: number): AnyElysia {
  // #region app
  const receive = toFetch(receiver)
  const app = new Elysia()
  app.all('/webhooks/feed', ({ request }) => receive(request), { parse: 'none' })
  // #endregion
  app.post('/orders', ({ body, status }) => status(201, { ordered: body.count }), {
    body: t.Object({ count: t.Number() }),
  })
  return app.listen(port)
}

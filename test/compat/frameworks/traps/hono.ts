import type { Server } from 'node:http'
import { serve } from '@hono/node-server'
import { toFetch, type Receiver } from '@feed-receiver/core'
import { Hono } from 'hono'
import { validator } from 'hono/validator'

/** Middleware reads the body before the route of the feed. */
export async function behindReader(receiver: Receiver, port: number): Promise<Server> {
  const receive = toFetch(receiver)
  const app = new Hono()
  app.use(async (context, next) => {
    await context.req.text()
    await next()
  })
  app.all('/webhooks/feed', (context) => receive(context.req.raw))
  return serve({ fetch: app.fetch, port }) as Server
}

/** A validator parses the body before the route of the feed. */
export async function behindValidator(receiver: Receiver, port: number): Promise<Server> {
  const receive = toFetch(receiver)
  const app = new Hono()
  app.use(validator('json', (value) => value as object))
  app.all('/webhooks/feed', (context) => receive(context.req.raw))
  return serve({ fetch: app.fetch, port }) as Server
}

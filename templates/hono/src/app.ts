import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createConsole, type ConsoleAccess } from '@feed-receiver/console'
import { createReceiver, toFetch } from '@feed-receiver/core'
import type { Database } from '@feed-receiver/database'
import { createInbox } from '@feed-receiver/inbox'
import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { handlers } from './handlers.ts'
import { homePage } from './home.ts'

export interface AppOptions {
  database: Database
  secrets: string[]
  /** 0 chooses a free port. */
  port: number
  /** Access to the console at /console/; if undefined, there is no console. */
  access?: ConsoleAccess | undefined
}

export async function startApp({ database, secrets, port, access }: AppOptions) {
  const inbox = createInbox({ database })
  await inbox.start()
  await database.migrate(new URL('../sql/', import.meta.url), { schema: 'app' })
  await inbox.work(handlers)

  const receiver = createReceiver({ secrets, inbox })
  const receive = toFetch(receiver)
  const app = new Hono()
  app.all('/webhooks/feed', (context) => receive(context.req.raw)) // before what reads bodies
  if (access) {
    const feedConsole = createConsole({ inbox, token: access.token, readOnly: false })
    app.all('/console/*', (context) => feedConsole(context.req.raw))
  }
  app.get('/', (context) => context.html(homePage))
  app.get('/health', async (context) => {
    const health = await inbox.health()
    return context.json(health, health.ok ? 200 : 503)
  })
  app.get('/outages', async (context) => {
    const { rows } = await database.query('select * from app.outage order by observed_at desc')
    return context.json(rows)
  })

  // Listens last, because a 404 from a missing route would pause the feed.
  const server = serve({ fetch: app.fetch, port })
  await once(server, 'listening')

  async function stop() {
    await receiver.stop()
    server.close()
    await inbox.stop()
    await database.close()
  }
  return { port: (server.address() as AddressInfo).port, inbox, stop }
}

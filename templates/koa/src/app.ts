import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createConsole, type ConsoleAccess } from '@feed-receiver/console'
import { createReceiver } from '@feed-receiver/core'
import { toNodeHandler } from '@feed-receiver/core/node'
import type { Database } from '@feed-receiver/database'
import { createInbox } from '@feed-receiver/inbox'
import { toKoa } from '@feed-receiver/koa'
import { Router } from '@koa/router'
import Koa from 'koa'
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
  const router = new Router()
  router.post('/webhooks/feed', toKoa(receiver))
  router.get('/', (context) => {
    context.body = homePage
  })
  router.get('/health', async (context) => {
    const health = await inbox.health()
    context.status = health.ok ? 200 : 503
    context.body = health
  })
  router.get('/outages', async (context) => {
    const { rows } = await database.query('select * from app.outage order by observed_at desc')
    context.body = rows
  })
  if (access) {
    const handle = toNodeHandler(createConsole({ inbox, token: access.token, readOnly: false }))
    router.all('/console{/*path}', (context) => {
      context.respond = false
      return handle(context.req, context.res)
    })
  }
  const app = new Koa()
  app.use(router.routes()) // before any body parser

  // Listens last, because a 404 from a missing route would pause the feed.
  const server = app.listen(port)
  await once(server, 'listening')

  async function stop() {
    await receiver.stop()
    server.close()
    await inbox.stop()
    await database.close()
  }
  return { port: (server.address() as AddressInfo).port, inbox, stop }
}

import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createConsole, type ConsoleAccess } from '@feed-receiver/console'
import { createReceiver } from '@feed-receiver/core'
import { toNodeHandler } from '@feed-receiver/core/node'
import type { Database } from '@feed-receiver/database'
import { toExpress } from '@feed-receiver/express'
import { createInbox } from '@feed-receiver/inbox'
import express from 'express'
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
  const app = express()
  app.post('/webhooks/feed', toExpress(receiver)) // before any body parser
  if (access) {
    const feedConsole = createConsole({ inbox, token: access.token, readOnly: false })
    app.use('/console', toNodeHandler(feedConsole)) // before any body parser
  }
  app.get('/', (_, response) => void response.type('html').send(homePage))
  app.get('/health', async (_, response) => {
    const health = await inbox.health()
    response.status(health.ok ? 200 : 503).json(health)
  })
  app.get('/outages', async (_, response) => {
    const { rows } = await database.query('select * from app.outage order by observed_at desc')
    response.json(rows)
  })

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

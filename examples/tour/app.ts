import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createReceiver } from '@feed-receiver/core'
import type { Database } from '@feed-receiver/database'
import { toExpress } from '@feed-receiver/express'
import { createInbox, type Handlers, type Inbox } from '@feed-receiver/inbox'
import express from 'express'

/** The receiving side, as in your own app. */
export interface App {
  /** The URL of its feed route. */
  url: string
  inbox: Inbox
  /** Starts the inbox and its worker, also after `inbox.stop()`. */
  open(): Promise<void>
  stop(): Promise<void>
}

export interface AppOptions {
  database: Database
  secret: string
  /** 0 chooses a free port. */
  port: number
}

export async function startApp({ database, secret, port }: AppOptions): Promise<App> {
  const inbox = createInbox({ database })
  const receiver = createReceiver({ secrets: [secret], inbox })
  const handlers: Handlers = {
    '*': (event, { tx }) =>
      tx.query('insert into tour.effect (event_id, title) values ($1, $2)', [
        event.id,
        event.data.title,
      ]),
  }

  const app = express()
  app.all('/webhooks/feed', toExpress(receiver))

  async function open(): Promise<void> {
    await inbox.start()
    await inbox.work(handlers)
  }

  // Listens last, because a 404 from a missing route would pause the feed.
  await open()
  const server = await listen(createServer(app), port)
  const origin = `http://127.0.0.1:${server.port}`

  return {
    url: `${origin}/webhooks/feed`,
    inbox,
    open,
    async stop() {
      await receiver.stop()
      await server.close()
      await inbox.stop()
    },
  }
}

async function listen(server: Server, port: number) {
  server.listen(port, '127.0.0.1')
  await once(server, 'listening').catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EADDRINUSE') throw error
    console.log(`Port ${port} is in use, so the app listens on another one.`)
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
  })
  return {
    // A listening TCP server has an address of this form.
    port: (server.address() as AddressInfo).port,
    async close() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

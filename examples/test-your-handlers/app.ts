import { once } from 'node:events'
import express from 'express'
import { createReceiver } from '@feed-receiver/core'
import type { Database } from '@feed-receiver/database'
import { toExpress } from '@feed-receiver/express'
import { createInbox } from '@feed-receiver/inbox'
import { handlers } from './handlers.ts'

export interface AppOptions {
  database: Database
  secrets: string[]
  port: string | number
}

export async function startApp({ database, secrets, port }: AppOptions) {
  await database.query('create table if not exists page (event_id text, title text)')
  const inbox = createInbox({ database })
  await inbox.start()
  await inbox.work(handlers)

  const receiver = createReceiver({ secrets, inbox })
  const app = express()
  app.post('/webhooks/feed', toExpress(receiver)) // before any body parser
  const server = app.listen(port)
  await once(server, 'listening')

  async function stop() {
    await receiver.stop()
    server.close()
    await inbox.stop()
    await database.close()
  }
  return { server, inbox, stop }
}

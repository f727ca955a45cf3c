import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createReceiver } from '@feed-receiver/core'
import type { Database } from '@feed-receiver/database'
import { toExpress } from '@feed-receiver/express'
import { createInbox, type Handlers } from '@feed-receiver/inbox'
import express from 'express'
import type { PgBoss } from 'pg-boss'
import { openJobs } from './jobs.ts'

export interface AppOptions {
  database: Database
  secrets: string[]
  port: string | number
  handlers: (boss: PgBoss) => Handlers
}

export async function startApp({ database, secrets, port, handlers }: AppOptions) {
  await database.query('create table if not exists report (event_id text primary key, title text)')
  const boss = await openJobs(database)
  const inbox = createInbox({ database })
  await inbox.start()
  await inbox.work(handlers(boss))

  const receiver = createReceiver({ secrets, inbox })
  const app = express()
  app.post('/webhooks/feed', toExpress(receiver)) // before any body parser
  const server = app.listen(port)
  await once(server, 'listening')

  return {
    boss,
    inbox,
    port: (server.address() as AddressInfo).port,
    async stop() {
      await receiver.stop()
      server.close()
      await inbox.stop()
      await boss.stop()
      await database.close()
    },
  }
}

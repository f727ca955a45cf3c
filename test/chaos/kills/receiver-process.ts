/**
 * A receiving app in its own process, which prints its port. Arguments: the database (a URL or a
 * folder) and, to be killed between the commit and the response, `after-commit`.
 */
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createReceiver, type DeliveryInbox } from '@feed-receiver/core'
import { openDatabase } from '@feed-receiver/database'
import { toExpress } from '@feed-receiver/express'
import { createInbox } from '@feed-receiver/inbox'
import express from 'express'

const [target = '', dies] = process.argv.slice(2)
const secret = process.env.FEED_SIGNING_SECRET ?? ''

const database = openDatabase(target.startsWith('postgres:') ? target : { folder: target })
await database.query('create table if not exists effect (event_id text)')
const inbox = createInbox({ database })
await inbox.start()
await inbox.work({
  '*': (event, { tx }) => tx.query('insert into effect values ($1)', [event.id]),
})

const dying: DeliveryInbox = {
  ...inbox,
  async accept(delivery) {
    const result = await inbox.accept(delivery)
    process.kill(process.pid, 'SIGKILL')
    return result
  },
}
const receiver = createReceiver({
  secrets: [secret],
  inbox: dies === 'after-commit' ? dying : inbox,
})

const app = express()
app.post('/webhooks/feed', toExpress(receiver))
app.get('/effects', async (_, response) => {
  const { rows } = await database.query<{ event_id: string }>('select event_id from effect')
  response.json(rows.map((row) => row.event_id))
})
const server = app.listen(0, '127.0.0.1')
await once(server, 'listening')
console.log((server.address() as AddressInfo).port)
process.once('SIGTERM', () => void stop())

async function stop(): Promise<void> {
  server.close()
  await inbox.stop()
  await database.close()
  process.exit(0)
}

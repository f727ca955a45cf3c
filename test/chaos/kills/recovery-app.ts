/**
 * An app with receiver, worker and poller in its own process, which prints its port, and each time
 * that its clock was set. Its inbox uses that clock, but signatures use real time. Each line of its
 * input sets the clock to a time. Arguments: the database, the address of the feed, the time and,
 * to be killed, the step and how many times it is reached.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createInterface } from 'node:readline'
import { createClient, createPoller, type PollInbox } from '@feed-receiver/client'
import { createReceiver, type DeliveryInbox } from '@feed-receiver/core'
import { openDatabase, type Database } from '@feed-receiver/database'
import { toExpress } from '@feed-receiver/express'
import { createInbox } from '@feed-receiver/inbox'
import { virtualClock } from '@feed-receiver/sender/testing'
import express from 'express'

const [url = '', baseUrl = '', now = '0', diesAt = 'never', time = '1'] = process.argv.slice(2)
const clock = virtualClock({ start: Number(now) })
let times = 0

const database = openDatabase(url)
const storing = new AsyncLocalStorage<'page'>()
const handling = new AsyncLocalStorage<{ isHandled: boolean }>()
const dyingDatabase: Database = {
  ...database,
  async tx(run, options) {
    const seen = { isHandled: false }
    const result = await database.tx(async (tx) => {
      const ofRun = await handling.run(seen, () => run(tx))
      if (storing.getStore() === 'page') dieAt('stored')
      return ofRun
    }, options)
    if (seen.isHandled) dieAt('handled')
    return result
  },
}

const inbox = createInbox({ database: dyingDatabase })
await inbox.start()
await inbox.work({
  async '*'(event, { tx }) {
    const seen = handling.getStore()
    if (seen) seen.isHandled = true
    await tx.query('insert into effect values ($1)', [event.id])
    dieAt('handling')
  },
})

const dyingInbox: DeliveryInbox & PollInbox = {
  ...inbox,
  async accept(delivery) {
    dieAt('received')
    const result = await inbox.accept({ ...delivery, receivedAt: new Date(clock.now()) })
    dieAt('accepted')
    return result
  },
  async acceptPage(events, progress) {
    dieAt('fetched')
    const result = await storing.run('page', () => inbox.acceptPage(events, progress))
    dieAt('committed')
    return result
  },
}
const receiver = createReceiver({ secrets: [process.env.FEED_SIGNING_SECRET], inbox: dyingInbox })
const poller = createPoller({
  client: createClient({ baseUrl, apiKey: process.env.FEED_API_KEY, clock }),
  inbox: dyingInbox,
  expects: () => true,
  leaseMs: 600,
  intervalMs: 5 * 60_000,
  onAlert: ({ code }) => void database.query('insert into alert values ($1)', [code]),
})
await poller.start()

const app = express()
app.post('/webhooks/feed', toExpress(receiver))
const server = app.listen(0, '127.0.0.1')
await once(server, 'listening')
console.log((server.address() as AddressInfo).port)
for await (const line of createInterface({ input: process.stdin })) {
  console.log(await clock.advance(Number(line) - clock.now()))
}

function dieAt(step: string): void {
  if (step !== diesAt) return
  times += 1
  if (times === Number(time)) process.kill(process.pid, 'SIGKILL')
}

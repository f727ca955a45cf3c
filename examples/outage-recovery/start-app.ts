import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createClient, createPoller, type Clock } from '@feed-receiver/client'
import { createReceiver, type DeliveryInbox } from '@feed-receiver/core'
import { toExpress } from '@feed-receiver/express'
import { createInbox } from '@feed-receiver/inbox'
import express from 'express'

export interface AppOptions {
  baseUrl: string
  apiKey: string
  secret: string
  port: number
  clock: Clock
  onHandled: (eventId: string) => void
}

/** An ordinary app with webhooks and a poller, except that its clock can be moved. */
export async function startApp({ baseUrl, apiKey, secret, port, clock, onHandled }: AppOptions) {
  const inbox = createInbox({ database: { folder: '.feed-receiver/outage-app' } })
  await inbox.start()
  await inbox.work({ '*': ({ id }) => onHandled(id) })

  // Stores deliveries with the time of that clock, but verifies them with the real one.
  const moved: DeliveryInbox = {
    ...inbox,
    accept: (delivery) => inbox.accept({ ...delivery, receivedAt: new Date(clock.now()) }),
  }
  const receiver = createReceiver({ secrets: [secret], inbox: moved })
  const poller = createPoller({
    client: createClient({ baseUrl, apiKey, clock }),
    inbox,
    expects: () => true, // this destination has no rules, so push delivers every event
  })
  await poller.start()

  const app = express()
  app.post('/webhooks/feed', toExpress(receiver))
  const server = app.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return {
    inbox,
    port: (server.address() as AddressInfo).port,
    async stop() {
      await poller.stop()
      await receiver.stop()
      server.close()
      await inbox.stop()
    },
  }
}

import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { createReceiver, type FeedEvent, type Receiver } from '@feed-receiver/core'
import { memoryInbox, signDelivery, type SignedDelivery } from '@feed-receiver/core/testing'
import { toExpress } from '@feed-receiver/express'
import express from 'express'

// Compiled as an ES module and as CommonJS, which has no top-level `await`.
async function main(): Promise<void> {
  const secret = 'feed_whsec_packed_0123456789abcdef'
  const receiver: Receiver = createReceiver({ secrets: [secret], inbox: memoryInbox() })
  const app = express()
  app.post('/webhooks/feed', toExpress(receiver))
  const server = app.listen(0, '127.0.0.1')
  await once(server, 'listening')

  const event = JSON.parse(readFileSync('event.json', 'utf8')) as FeedEvent
  const { port } = server.address() as AddressInfo
  const delivery: SignedDelivery = signDelivery(event, { secret })
  const response = await fetch(`http://127.0.0.1:${port}/webhooks/feed`, delivery)
  console.log(response.status, await response.text())

  await receiver.stop()
  server.close()
}

void main()

import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createReceiver } from '@feed-receiver/core'
import { memoryInbox, signDelivery } from '@feed-receiver/core/testing'
import { toExpress } from '@feed-receiver/express'
import express from 'express'

const secret = 'feed_whsec_packed_0123456789abcdef'
const receiver = createReceiver({ secrets: [secret], inbox: memoryInbox() })
const app = express()
app.post('/webhooks/feed', toExpress(receiver))
const server = app.listen(0, '127.0.0.1')
await once(server, 'listening')

const event = JSON.parse(readFileSync('event.json', 'utf8'))
const url = `http://127.0.0.1:${server.address().port}/webhooks/feed`
const response = await fetch(url, signDelivery(event, { secret }))
console.log(response.status, await response.text())

await receiver.stop()
server.close()

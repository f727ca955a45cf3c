const { once } = require('node:events')
const { createReceiver } = require('@feed-receiver/core')
const { memoryInbox, signDelivery } = require('@feed-receiver/core/testing')
const { toExpress } = require('@feed-receiver/express')
const express = require('express')
const event = require('./event.json')

async function main() {
  const secret = 'feed_whsec_packed_0123456789abcdef'
  const receiver = createReceiver({ secrets: [secret], inbox: memoryInbox() })
  const app = express()
  app.post('/webhooks/feed', toExpress(receiver))
  const server = app.listen(0, '127.0.0.1')
  await once(server, 'listening')

  const url = `http://127.0.0.1:${server.address().port}/webhooks/feed`
  const response = await fetch(url, signDelivery(event, { secret }))
  console.log(response.status, await response.text())

  await receiver.stop()
  server.close()
}

void main()

import { once } from 'node:events'
import { createReceiver } from '@feed-receiver/core'
import { toExpress } from '@feed-receiver/express'
import { createInbox } from '@feed-receiver/inbox'
import { createSender, fixture } from '@feed-receiver/sender'
import express from 'express'

const secret = 'feed_whsec_packed_0123456789abcdef'
const inbox = createInbox()
await inbox.start()
const handled = new Promise((resolve) => {
  void inbox.work({ outage_started: resolve })
})

const receiver = createReceiver({ secrets: [secret], inbox })
const app = express()
app.post('/webhooks/feed', toExpress(receiver))
const server = app.listen(0, '127.0.0.1')
await once(server, 'listening')

const sender = createSender({ secret })
const url = `http://127.0.0.1:${server.address().port}/webhooks/feed`
const { result } = await sender.deliver(fixture('outage_started'), { to: url })
console.log(result)
const { id } = await handled
console.log('handled', id)

await sender.close()
await receiver.stop()
server.close()
await inbox.stop()

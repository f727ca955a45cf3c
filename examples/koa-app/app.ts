import { bodyParser } from '@koa/bodyparser'
import { Router } from '@koa/router'
import Koa from 'koa'
import { createReceiver, secretsFromEnv } from '@feed-receiver/core'
import { createInbox } from '@feed-receiver/inbox'
import { toKoa } from '@feed-receiver/koa'

const inbox = createInbox({ database: process.env.DATABASE_URL }) // unset: embedded, in ./.feed-receiver
await inbox.start()
await inbox.work({
  outage_started: (event) => console.log(`Outage: ${event.data.title} (${event.data.source_url})`),
})
const receiver = createReceiver({ secrets: secretsFromEnv(process.env), inbox })

const feed = new Router().post('/webhooks/feed', toKoa(receiver))
const shop = new Router().post('/orders', (context) => {
  const { count } = context.request.body as { count: number }
  context.status = 201
  context.body = { ordered: count }
})

// #region routes
const app = new Koa()
app.use(feed.routes()) // before the body parser
app.use(bodyParser())
app.use(shop.routes())
// #endregion
const server = app.listen(process.env.PORT ?? 3000)

process.once('SIGTERM', () => void stop())

async function stop() {
  await receiver.stop()
  server.close()
  await inbox.stop()
}

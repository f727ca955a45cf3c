import { createServer } from 'node:http'
import { Hono } from 'hono'
import { createReceiver, secretsFromEnv, toFetch } from '@feed-receiver/core'
import { toNodeHandler } from '@feed-receiver/core/node'
import { createInbox } from '@feed-receiver/inbox'

const inbox = createInbox({ database: process.env.DATABASE_URL }) // unset: embedded, in ./.feed-receiver
await inbox.start()
await inbox.work({
  outage_started: (event) => console.log(`Outage: ${event.data.title} (${event.data.source_url})`),
})
const receiver = createReceiver({ secrets: secretsFromEnv(process.env), inbox })

// #region route
const receive = toFetch(receiver)
const app = new Hono()
app.post('/webhooks/feed', (context) => receive(context.req.raw))
// #endregion
app.post('/orders', async (context) => {
  const { count } = await context.req.json()
  return context.json({ ordered: count }, 201)
})

// #region serve
const handle = toNodeHandler(app.fetch)
const server = createServer((request, response) => {
  // It rejects if the app throws, and nothing else reports that.
  handle(request, response).catch(() => response.destroy())
})
// #endregion
server.listen(process.env.PORT ?? 3000)

process.once('SIGTERM', () => void stop())

async function stop() {
  await receiver.stop()
  server.close()
  await inbox.stop()
}

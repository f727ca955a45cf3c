import express from 'express'
import helmet from 'helmet'
import { createReceiver, secretsFromEnv } from '@feed-receiver/core'
import { keepRawBody, toExpress } from '@feed-receiver/express'
import { createInbox } from '@feed-receiver/inbox'

const inbox = createInbox({ database: process.env.DATABASE_URL }) // unset: embedded, in ./.feed-receiver
await inbox.start()
await inbox.work({
  outage_started: (event) => console.log(`Outage: ${event.data.title} (${event.data.source_url})`),
})
const receiver = createReceiver({ secrets: secretsFromEnv(process.env), inbox })

const app = express()
app.use(helmet())
// #region parser
// The app's existing parser, now with `verify`, and with a limit that fits the feed.
app.use(express.json({ verify: keepRawBody, limit: '1mb' }))
app.post('/orders', (request, response) => {
  response.status(201).json({ ordered: request.body.count })
})
app.post('/webhooks/feed', toExpress(receiver))
// #endregion
const server = app.listen(process.env.PORT ?? 3000)

process.once('SIGTERM', () => void stop())

async function stop() {
  await receiver.stop()
  server.close()
  await inbox.stop()
}

import express from 'express'
import { createConsole } from '@feed-receiver/console'
import { createReceiver, secretsFromEnv } from '@feed-receiver/core'
import { toNodeHandler } from '@feed-receiver/core/node'
import { toExpress } from '@feed-receiver/express'
import { createInbox } from '@feed-receiver/inbox'

const inbox = createInbox({ database: process.env.DATABASE_URL }) // unset: embedded, in ./.feed-receiver
await inbox.start()
await inbox.work({
  outage_started: (event) => console.log(`Outage: ${event.data.title} (${event.data.source_url})`),
})
const receiver = createReceiver({ secrets: secretsFromEnv(process.env), inbox })

// #region app
const feedConsole = createConsole({ inbox, token: process.env.FEED_CONSOLE_TOKEN, readOnly: false })
const app = express()
app.post('/webhooks/feed', toExpress(receiver))
app.use('/console', toNodeHandler(feedConsole)) // before any body parser
const server = app.listen(process.env.PORT ?? 3000)
// #endregion

process.once('SIGTERM', () => void stop())

async function stop() {
  await receiver.stop()
  server.close()
  await inbox.stop()
}

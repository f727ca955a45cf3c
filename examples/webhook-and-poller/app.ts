// #region app
import express from 'express'
import { createClient, createPoller, rememberAnswers } from '@feed-receiver/client'
import { createReceiver, secretsFromEnv } from '@feed-receiver/core'
import { toExpress } from '@feed-receiver/express'
import { createInbox } from '@feed-receiver/inbox'

const inbox = createInbox({ database: process.env.DATABASE_URL })
await inbox.start()
await inbox.work({
  '*': ({ data }, { via, change }) => console.log(`${change} by ${via}: ${data.title}`),
})

const answers = rememberAnswers()
const receiver = createReceiver({
  secrets: secretsFromEnv(process.env),
  inbox,
  observe: answers.observe,
})
const client = createClient({
  baseUrl: process.env.FEED_URL ?? 'http://localhost:4010',
  apiKey: () => process.env.FEED_API_KEY,
})
const poller = createPoller({
  client,
  inbox,
  expects: ({ data }) => data.category === 'outages', // what the delivery rules push
  lastAnswer: answers.last,
})
await poller.start()

const app = express()
app.post('/webhooks/feed', toExpress(receiver))
app.get('/gaps', async (_, response) => response.json(await inbox.gaps.count()))
const server = app.listen(process.env.PORT ?? 3000)
// #endregion

process.once('SIGTERM', () => void stop())

async function stop() {
  await poller.stop()
  await receiver.stop()
  server.close()
  await inbox.stop()
}

import formbody from '@fastify/formbody'
import Fastify from 'fastify'
import { createReceiver, secretsFromEnv } from '@feed-receiver/core'
import { toFastify } from '@feed-receiver/fastify'
import { createInbox } from '@feed-receiver/inbox'

const inbox = createInbox({ database: process.env.DATABASE_URL }) // unset: embedded, in ./.feed-receiver
await inbox.start()
await inbox.work({
  outage_started: (event) => console.log(`Outage: ${event.data.title} (${event.data.source_url})`),
})
const receiver = createReceiver({ secrets: secretsFromEnv(process.env), inbox })

// #region plugins
const app = Fastify()
await app.register(formbody) // before or after, because the feed's route runs before the parsers of Fastify
await app.register(toFastify(receiver), { path: '/webhooks/feed' })
// #endregion
app.post<{ Body: { email: string } }>('/subscribe', async (request) => ({
  subscribed: request.body.email,
}))
await app.listen({ port: Number(process.env.PORT ?? 3000), host: '0.0.0.0' })

process.once('SIGTERM', () => void stop())

async function stop() {
  await receiver.stop()
  await app.close()
  await inbox.stop()
}

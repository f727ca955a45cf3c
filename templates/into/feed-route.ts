import { existsSync } from 'node:fs'
import { createReceiver, secretsFromEnv } from '@feed-receiver/core'
import { toExpress } from '@feed-receiver/express'
import { createInbox } from '@feed-receiver/inbox'
import { handlers } from './feed-handlers.js'

// Existing environment variables take precedence over the file.
if (existsSync('.env')) process.loadEnvFile()
const { DATABASE_URL } = process.env

const inbox = createInbox({ database: DATABASE_URL || undefined }) // unset: embedded, in ./.feed-receiver
const receiver = createReceiver({ secrets: secretsFromEnv(process.env), inbox })

/** Mount it before every body parser, because the signature covers the raw body. */
export const feedRoute = toExpress(receiver)

void startFeed()
process.once('SIGTERM', () => void stopFeed())
process.once('SIGINT', () => void stopFeed())

// Until it has started, the receiver answers 503, and the service retries the deliveries.
async function startFeed() {
  try {
    await inbox.start()
    await inbox.work(handlers)
  } catch (error) {
    console.error('The inbox of the feed could not start. Retrying in 5 s.', error)
    setTimeout(() => void startFeed(), 5_000)
  }
}

async function stopFeed() {
  await receiver.stop()
  await inbox.stop()
  // Our listeners stop Node from exiting by default, so exit here, unless the app has its own.
  const isAlone = process.listenerCount('SIGTERM') + process.listenerCount('SIGINT') === 1
  setTimeout(() => process.exit(), isAlone ? 0 : 10_000).unref()
}

import { existsSync } from 'node:fs'
import { createReceiver, secretsFromEnv } from '@feed-receiver/core'
import { toExpress } from '@feed-receiver/express'
import { createInbox } from '@feed-receiver/inbox'
import { handlers } from './feed-handlers.js'

// What the environment says already goes before what the file says.
if (existsSync('.env')) process.loadEnvFile()
const { DATABASE_URL } = process.env

const inbox = createInbox({ database: DATABASE_URL || undefined }) // unset: embedded, in ./.feed-receiver
const receiver = createReceiver({ secrets: secretsFromEnv(process.env), inbox })

/** No body parser may come before it: the signature covers the raw bytes. */
export const feedRoute = toExpress(receiver)

void startFeed()
process.once('SIGTERM', () => void stopFeed())
process.once('SIGINT', () => void stopFeed())

// Until it has started, deliveries are answered with 503, and come again.
async function startFeed() {
  try {
    await inbox.start()
    await inbox.work(handlers)
  } catch (error) {
    console.error('The inbox of the feed has not started, and is tried again in 5 s.', error)
    setTimeout(() => void startFeed(), 5_000)
  }
}

async function stopFeed() {
  await receiver.stop()
  await inbox.stop()
  // Ours keep Node from ending by itself. Where the app has listeners too, it may end its own way.
  const isAlone = process.listenerCount('SIGTERM') + process.listenerCount('SIGINT') === 1
  setTimeout(() => process.exit(), isAlone ? 0 : 10_000).unref()
}

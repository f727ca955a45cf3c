import { existsSync } from 'node:fs'
import { createReceiver, secretsFromEnv, toFetch } from '@feed-receiver/core'
import { createInbox } from '@feed-receiver/inbox'
import { handlers } from '../../../lib/server/feed-handlers'
import type { RequestHandler } from './$types'

declare global {
  var feedReceiver: ReturnType<typeof createFeed> | undefined
}

// In development Vite loads this file anew after each change; the feed stays the same.
const feed = (globalThis.feedReceiver ??= createFeed())

export const POST: RequestHandler = async ({ request }) => {
  void feed.start() // not awaited: the delivery waits for it, no longer than its deadline
  return await feed.receive(request)
}

function createFeed() {
  // What the environment says already goes before what the file says.
  if (existsSync('.env')) process.loadEnvFile()
  const { DATABASE_URL } = process.env
  const inbox = createInbox({ database: DATABASE_URL || undefined }) // unset: embedded, in ./.feed-receiver
  // A function, since the build runs this too, where there may be no secrets.
  const receiver = createReceiver({ secrets: () => secretsFromEnv(process.env), inbox })
  let starting: Promise<void> | undefined

  /** Once, with the first delivery; after a failure again with the next one. */
  function start() {
    starting ??= startInbox()
    return starting
  }

  // A delivery that finds the inbox down is answered with 503, and comes again.
  async function startInbox() {
    try {
      await inbox.start()
      await inbox.work(handlers)
      process.once('SIGTERM', () => void stop())
      process.once('SIGINT', () => void stop())
    } catch (error) {
      console.error('The inbox of the feed has not started.', error)
      starting = undefined
    }
  }

  async function stop() {
    await receiver.stop()
    await inbox.stop()
    // Ours keep Node from ending by itself. Where the app has listeners too, it may end its own way.
    const isAlone = process.listenerCount('SIGTERM') + process.listenerCount('SIGINT') === 1
    setTimeout(() => process.exit(), isAlone ? 0 : 10_000).unref()
  }
  return { receive: toFetch(receiver), start }
}

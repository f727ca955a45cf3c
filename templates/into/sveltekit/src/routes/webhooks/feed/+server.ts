import { existsSync, readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import { createReceiver, secretsFromEnv, toFetch } from '@feed-receiver/core'
import { createInbox } from '@feed-receiver/inbox'
import { handlers } from '../../../lib/server/feed-handlers'
import type { RequestHandler } from './$types'

declare global {
  var feedReceiver: ReturnType<typeof createFeed> | undefined
}

// In development Vite reloads this file after each change, but the feed must stay the same.
const feed = (globalThis.feedReceiver ??= createFeed())

export const POST: RequestHandler = async ({ request }) => {
  feed.start() // not awaited, because the delivery waits for it up to its deadline
  return await feed.receive(request)
}

function createFeed() {
  const { env } = process
  // Without the byte order mark of some editors, which would become part of the first name.
  const envFile = existsSync('.env') ? readFileSync('.env', 'utf8').replace(/^\uFEFF/, '') : ''
  // Existing environment variables take precedence over the file.
  Object.assign(env, parseEnv(envFile), { ...env })
  const { DATABASE_URL: url } = env
  // Unset or empty: embedded, in ./.feed-receiver
  const inbox = createInbox({ database: url === '' ? undefined : url })
  // A function, because the build runs this too, perhaps without secrets.
  const receiver = createReceiver({ secrets: () => secretsFromEnv(env), inbox })
  let starting: Promise<void> | undefined

  /** Starts once, with the first delivery; after a failure, again with the next one. */
  function start() {
    starting ??= startInbox()
  }

  // If the inbox is down, the receiver answers 503, and the service retries the delivery.
  async function startInbox() {
    try {
      await inbox.start()
      await inbox.work(handlers)
      process.prependOnceListener('SIGTERM', stopAndExit)
      process.prependOnceListener('SIGINT', stopAndExit)
    } catch (error) {
      console.error('The inbox of the feed could not start. Retrying at the next delivery.', error)
      starting = undefined
    }
  }

  function stopAndExit() {
    // Our listeners stop Node from exiting by default, so exit here, unless the app has its own.
    const isAlone = process.listenerCount('SIGTERM') + process.listenerCount('SIGINT') === 1
    receiver
      .stop()
      .then(() => inbox.stop())
      .then(() => setTimeout(() => process.exit(), isAlone ? 0 : 10_000).unref())
      .catch((error: unknown) => {
        console.error('The feed could not stop.', error)
        process.exit(1)
      })
  }
  return { receive: toFetch(receiver), start }
}

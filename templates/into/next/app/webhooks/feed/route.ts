import { createReceiver, secretsFromEnv } from '@feed-receiver/core'
import { createInbox } from '@feed-receiver/inbox'
import { toNext } from '@feed-receiver/next'
import { handlers } from '../../../feed-handlers'

declare global {
  var feedReceiver: ReturnType<typeof createFeed> | undefined
}

// In development Next reloads this file after each change, but the feed must stay the same.
const feed = (globalThis.feedReceiver ??= createFeed())

export async function POST(request: Request) {
  feed.start() // not awaited, because the delivery waits for it up to its deadline
  return await feed.receive(request)
}

function createFeed() {
  const { env } = process
  const { DATABASE_URL: url } = env
  // Unset or empty: embedded, in ./.feed-receiver
  const inbox = createInbox({ database: url === '' ? undefined : url })
  // A function, because `next build` runs this too, perhaps without secrets.
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
    } catch (error) {
      console.error('The inbox of the feed could not start. Retrying at the next delivery.', error)
      starting = undefined
    }
  }
  return { receive: toNext(receiver), start }
}

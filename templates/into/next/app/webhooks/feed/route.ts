import { createReceiver, secretsFromEnv } from '@feed-receiver/core'
import { createInbox } from '@feed-receiver/inbox'
import { toNext } from '@feed-receiver/next'
import { handlers } from '../../../feed-handlers'

declare global {
  var feedReceiver: ReturnType<typeof createFeed> | undefined
}

// In development Next loads this file anew after each change; the feed stays the same.
const feed = (globalThis.feedReceiver ??= createFeed())

export async function POST(request: Request) {
  void feed.start() // not awaited: the delivery waits for it, no longer than its deadline
  return await feed.receive(request)
}

function createFeed() {
  const { DATABASE_URL } = process.env
  const inbox = createInbox({ database: DATABASE_URL || undefined }) // unset: embedded, in ./.feed-receiver
  // A function, since `next build` runs this too, where there may be no secrets.
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
    } catch (error) {
      console.error('The inbox of the feed has not started.', error)
      starting = undefined
    }
  }
  return { receive: toNext(receiver), start }
}

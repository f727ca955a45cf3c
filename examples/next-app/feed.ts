import { createReceiver, secretsFromEnv } from '@feed-receiver/core'
import { createInbox } from '@feed-receiver/inbox'

declare global {
  var feed: ReturnType<typeof createFeed> | undefined
}

// Next loads this module separately for the route and the instrumentation; they share one feed.
export const feed = (globalThis.feed ??= createFeed())

function createFeed() {
  const inbox = createInbox({ database: process.env.DATABASE_URL }) // unset: embedded, in ./.feed-receiver
  // A function, because `next build` runs this too, perhaps without secrets.
  const receiver = createReceiver({ secrets: () => secretsFromEnv(process.env), inbox })
  return { inbox, receiver }
}

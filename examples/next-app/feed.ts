import { createReceiver, secretsFromEnv } from '@feed-receiver/core'
import { createInbox } from '@feed-receiver/inbox'

declare global {
  var feed: ReturnType<typeof createFeed> | undefined
}

// Next gives the route and the instrumentation a copy of this module each; they share one feed.
export const feed = (globalThis.feed ??= createFeed())

function createFeed() {
  const inbox = createInbox({ database: process.env.DATABASE_URL }) // unset: embedded, in ./.feed-receiver
  // A function, since `next build` runs this too, where there may be no secrets.
  const receiver = createReceiver({ secrets: () => secretsFromEnv(process.env), inbox })
  return { inbox, receiver }
}

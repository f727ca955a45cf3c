import { accessFromEnv } from '@feed-receiver/console'
import { secretsFromEnv } from '@feed-receiver/core'
import { openDatabase } from '@feed-receiver/database'
import { createFeed } from './create-feed'

declare global {
  var feed: ReturnType<typeof createFeed> | undefined
}

// Next gives each route and the instrumentation a copy of this module; they share one feed.
export const feed = (globalThis.feed ??= createFeed({
  database: openDatabase(process.env.DATABASE_URL || undefined), // unset: embedded, in ./.feed-receiver
  // A function, since `next build` loads this too, where there may be no secrets.
  secrets: () => secretsFromEnv(process.env),
  access: accessFromEnv(process.env), // FEED_CONSOLE_TOKEN, or in development a token of its own
}))

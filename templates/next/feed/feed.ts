import { accessFromEnv } from '@feed-receiver/console'
import { secretsFromEnv } from '@feed-receiver/core'
import { openDatabase } from '@feed-receiver/database'
import { createFeed } from './create-feed'

declare global {
  var feed: ReturnType<typeof createFeed> | undefined
}

// Next loads this module separately for each route and the instrumentation; they share one feed.
export const feed = (globalThis.feed ??= createFeed({
  database: openDatabase(process.env.DATABASE_URL || undefined), // unset: embedded, in ./.feed-receiver
  // A function, because `next build` loads this too, perhaps without secrets.
  secrets: () => secretsFromEnv(process.env),
  access: accessFromEnv(process.env), // FEED_CONSOLE_TOKEN, or in development a generated token
}))

import { openDatabase } from '@feed-receiver/database'
import { createFeed } from './create-feed'

declare global {
  var feed: ReturnType<typeof createFeed> | undefined
}

// Next gives each route and the instrumentation a copy of this module; they share one feed.
export const feed = (globalThis.feed ??= createFeed({
  database: openDatabase(process.env.DATABASE_URL || undefined), // unset: embedded, in ./.feed-receiver
  secrets: readSecrets,
}))

// A function, since `next build` loads this too, where there may be no secrets. There are two while
// one takes over from the other.
function readSecrets() {
  const { FEED_SIGNING_SECRET, FEED_SIGNING_SECRET_NEXT } = process.env
  return [FEED_SIGNING_SECRET, FEED_SIGNING_SECRET_NEXT].flatMap((secret) => secret || [])
}

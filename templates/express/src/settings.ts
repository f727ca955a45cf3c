import { existsSync } from 'node:fs'

// What the environment says already goes before what the file says.
if (existsSync('.env')) process.loadEnvFile()
const { FEED_SIGNING_SECRET, FEED_SIGNING_SECRET_NEXT, DATABASE_URL, PORT } = process.env

export const settings = {
  /** All that deliveries may be signed with: two, while one takes over from the other. */
  secrets: [FEED_SIGNING_SECRET, FEED_SIGNING_SECRET_NEXT].flatMap((secret) => secret || []),
  /** Unset: embedded, in ./.feed-receiver. */
  databaseUrl: DATABASE_URL || undefined,
  port: Number(PORT || 3000),
}

import { existsSync } from 'node:fs'
import { secretsFromEnv } from '@feed-receiver/core'

// What the environment says already goes before what the file says.
if (existsSync('.env')) process.loadEnvFile()
const { DATABASE_URL, PORT } = process.env

export const settings = {
  /** FEED_SIGNING_SECRET, and FEED_SIGNING_SECRET_NEXT beside it during a rotation. */
  secrets: secretsFromEnv(process.env),
  /** Unset: embedded, in ./.feed-receiver. */
  databaseUrl: DATABASE_URL || undefined,
  port: Number(PORT || 3000),
}

import { existsSync } from 'node:fs'
import { secretsFromEnv } from '@feed-receiver/core'

// Existing environment variables take precedence over the file.
if (existsSync('.env')) process.loadEnvFile()
const { DATABASE_URL, PORT } = process.env

export const settings = {
  /** FEED_SIGNING_SECRET, and during a rotation FEED_SIGNING_SECRET_NEXT. */
  secrets: secretsFromEnv(process.env),
  /** If unset, the embedded database in ./.feed-receiver. */
  databaseUrl: DATABASE_URL || undefined,
  port: Number(PORT || 3000),
}

import { existsSync, readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import { secretsFromEnv } from '@feed-receiver/core'

const { env } = process
// Without the byte order mark of some editors, which would become part of the first name.
const envFile = existsSync('.env') ? readFileSync('.env', 'utf8').replace(/^\uFEFF/, '') : ''
// Existing environment variables take precedence over the file.
Object.assign(env, parseEnv(envFile), { ...env })
const { DATABASE_URL, PORT } = env

export const settings = {
  /** FEED_SIGNING_SECRET, and during a rotation FEED_SIGNING_SECRET_NEXT. */
  secrets: secretsFromEnv(env),
  /** If unset, the embedded database in ./.feed-receiver. */
  databaseUrl: DATABASE_URL || undefined,
  port: Number(PORT || 3000),
}

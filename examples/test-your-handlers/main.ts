import { secretsFromEnv } from '@feed-receiver/core'
import { openDatabase } from '@feed-receiver/database'
import { startApp } from './app.ts'

const app = await startApp({
  database: openDatabase(process.env.DATABASE_URL), // unset: embedded, in ./.feed-receiver
  secrets: secretsFromEnv(process.env),
  port: process.env.PORT ?? 3000,
})
process.once('SIGTERM', () => void app.stop())

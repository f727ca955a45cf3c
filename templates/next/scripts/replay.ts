import { existsSync } from 'node:fs'
import { createSender, fixtures } from '@feed-receiver/sender'

if (existsSync('.env')) process.loadEnvFile()
const { FEED_SIGNING_SECRET: secret = '', PORT = '3000' } = process.env
const to = process.argv[2] ?? `http://localhost:${PORT}/webhooks/feed`

const sender = createSender({ secret })
const rows = []
for (const event of fixtures) {
  const { status, responseBody, error } = await sender.attempt(event, { to })
  rows.push({ event: event.id, type: event.type, status, answer: responseBody ?? error?.message })
  if (status === null) break
}
await sender.close()

console.table(rows)
if (rows.some(({ status }) => status !== 202 && status !== 200)) {
  console.error(`Not every event was accepted at ${to}. Does the app run, with the same .env?`)
  process.exitCode = 1
}

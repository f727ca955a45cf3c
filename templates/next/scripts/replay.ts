import { existsSync, readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import { createSender, fixtures } from '@feed-receiver/sender'

const { env } = process
// Next listens before it reads .env, so only PORT of the shell counts.
const { PORT = '3000' } = env
// Without the byte order mark of some editors, which would become part of the first name.
const envFile = existsSync('.env') ? readFileSync('.env', 'utf8').replace(/^\uFEFF/, '') : ''
// Existing environment variables take precedence over the file.
Object.assign(env, parseEnv(envFile), { ...env })
const { FEED_SIGNING_SECRET: secret = '' } = env
const to = process.argv[2] ?? `http://localhost:${PORT}/webhooks/feed`
if (!URL.canParse(to)) {
  console.log(
    'npm run replay [-- <URL of the feed route; by default that of the app on this machine>]',
  )
  process.exit(to === '--help' ? 0 : 2)
}

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
  console.error(`${to} did not accept every event. Check that the app runs with the same .env.`)
  process.exitCode = 1
}

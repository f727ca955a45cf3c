import { createSender, fixtures } from '@feed-receiver/sender'
import { settings } from './settings.ts'

const [secret = ''] = settings.secrets
const to = process.argv[2] ?? `http://localhost:${settings.port}/webhooks/feed`
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

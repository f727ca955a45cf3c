import { readFile } from 'node:fs/promises'
import express from 'express'
import { createReceiver, fingerprintOf, type Observation } from '@feed-receiver/core'
import { toExpress } from '@feed-receiver/express'
import { createInbox } from '@feed-receiver/inbox'

const file = process.env.FEED_SECRETS_FILE ?? 'secrets.txt'
let secrets: string[] = []

const inbox = createInbox({ database: process.env.DATABASE_URL }) // unset: embedded, in ./.feed-receiver
await inbox.start()
await inbox.work({
  outage_started: (event) => console.log(`Outage: ${event.data.title} (${event.data.source_url})`),
})

const receiver = createReceiver({ secrets: readSecrets, observe: reportSecret, inbox })
const app = express()
app.post('/webhooks/feed', toExpress(receiver)) // before any body parser
const server = app.listen(process.env.PORT ?? 3000)

// #region read
/** One secret per line. Add the new one, and remove the old one when it no longer signs. */
async function readSecrets() {
  const text = await readFile(file, 'utf8')
  secrets = text.trim().split(/\s+/)
  return secrets
}
// #endregion

function reportSecret({ eventId, signedBy, error }: Observation) {
  if (error) console.error(error) // for example an invalid line; the previous secrets stay active
  if (!signedBy) return
  const line = secrets.map(fingerprintOf).indexOf(signedBy) + 1
  console.log(`${eventId} is signed by ${signedBy}, line ${line} of ${file}`)
}

process.once('SIGTERM', () => void stop())

async function stop() {
  await receiver.stop()
  server.close()
  await inbox.stop()
}

/**
 * An app that receives and handles events, in its own process. It is copied beside the packages of a
 * release, and prints its port. If the inbox does not start, it prints the error and exits with 1.
 * Arguments: the URL of the database, and the name of the release.
 */
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { createReceiver } from '@feed-receiver/core'
import { openDatabase } from '@feed-receiver/database'
import { toExpress } from '@feed-receiver/express'
import { createInbox, Permanent, RetryAfter } from '@feed-receiver/inbox'
import express from 'express'

const [url, release] = process.argv.slice(2)
const isPrevious = release === 'previous'

const notes = openDatabase(url, { maxConnections: 2 })
const inbox = createInbox({ database: url, stopTimeoutMs: 3_000, onError: () => {} })
await inbox.start().catch((error) => {
  console.log(`${error.code}: ${error.message}`)
  process.exit(1)
})
await inbox.work({ '*': handle }, { concurrency: 6, onFailed: () => {}, onDead: () => {} })

const receiver = createReceiver({
  secrets: [process.env.FEED_SIGNING_SECRET],
  inbox,
  observe: () => {},
})
const app = express()
app.post('/webhooks/feed', toExpress(receiver))
const server = app.listen(0, '127.0.0.1')
await once(server, 'listening')
console.log(server.address().port)
process.once('SIGTERM', () => void stop())

/** The id of an event names what its handler does in the previous release. */
async function handle({ id }, { tx, attempt }) {
  await note('insert into run values ($1, $2, $3)', id, release, attempt)
  const [, kind] = id.split('_')
  if (isPrevious && kind === 'failing') throw new RetryAfter(0.5)
  if (isPrevious && kind === 'dead') throw new Permanent('forever')
  await tx.query('insert into effect values ($1, $2)', [id, release])
  if (isPrevious && kind === 'stuck') await delay(600_000)
  if (kind === 'slow') await delay(300)
}

function note(text, ...values) {
  return notes.query(text, values)
}

async function stop() {
  server.close()
  await receiver.stop()
  await inbox.stop().catch((error) => console.log(`${error.code}: ${error.message}`))
  await notes.close()
  process.exit(0)
}

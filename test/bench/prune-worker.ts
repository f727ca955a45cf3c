/**
 * Deletes the bodies of an inbox in its own process, for each line of input. Prints as JSON how
 * many, and how long it took. Arguments: a PostgreSQL URL, and the schema of the inbox.
 */
import { createInterface } from 'node:readline'
import { createInbox } from '@feed-receiver/inbox'

const [url = '', schema = ''] = process.argv.slice(2)
const inbox = createInbox({ database: url, schema })
await inbox.start()
console.log('ready')
for await (const _ of createInterface({ input: process.stdin })) {
  const startedAt = performance.now()
  const { emptied } = await inbox.prune({ bytesAfterDays: 0 })
  console.log(JSON.stringify({ emptied, seconds: (performance.now() - startedAt) / 1_000 }))
}

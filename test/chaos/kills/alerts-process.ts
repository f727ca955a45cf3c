/**
 * Checks the alerts of an inbox for each line of its input. A line is a time, and optionally the
 * step at which the process dies: `updated` (before sending), `leased` (about to send) or `sent`
 * (sent but not recorded). Arguments: the database (a URL or a folder), and the file to which it
 * sends.
 */
import { appendFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { openDatabase, type Database } from '@feed-receiver/database'
import { createInbox } from '@feed-receiver/inbox'
import { createAlerts } from '@feed-receiver/operate/alerts'

const [target = '', file = ''] = process.argv.slice(2)
let dies: string | undefined

const database = openDatabase(target.startsWith('postgres') ? target : { folder: target })
const dyingDatabase: Database = {
  ...database,
  async query(text, values, options) {
    const isLease = text.includes('with leased as')
    if (isLease) dieAt('updated')
    const result = await database.query(text, values, options)
    if (isLease && result.rowCount > 0) dieAt('leased')
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as the database gives it
    return result as never
  },
}
const inbox = createInbox({ database: dyingDatabase })
const alerts = createAlerts({
  inbox,
  notify: ({ idempotencyKey }) => {
    appendFileSync(file, `${idempotencyKey}\n`)
    dieAt('sent')
  },
})
await inbox.start()
console.log('ready')

for await (const line of createInterface({ input: process.stdin })) {
  const [at = '', step] = line.split(' ')
  dies = step
  await alerts.check({ asOf: new Date(Number(at)) })
  console.log('checked')
}
await inbox.stop()
await database.close()

function dieAt(here: string): void {
  if (here === dies) process.kill(process.pid, 'SIGKILL')
}

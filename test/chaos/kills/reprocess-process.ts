/**
 * A worker in its own process, which prints a line once it works. Each handler writes a row through
 * tx. Argument: the URL of its database.
 */
import { createInbox } from '@feed-receiver/inbox'

const [database = ''] = process.argv.slice(2)
const inbox = createInbox({ database })
await inbox.start()
await inbox.work({
  '*': ({ id }, { tx, reprocess }) =>
    tx.query('insert into effect values ($1, $2)', [id, reprocess]),
})
console.log('working')

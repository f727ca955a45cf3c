/**
 * A poller in its own process, which reads everything, handles it, and prints the counts.
 * Arguments: the database (a URL or a folder), the address of the feed and, to be killed, the step
 * and the page: `fetched`, `stored` (not committed) or `committed`.
 */
import { createClient, createPoller, type PollInbox } from '@feed-receiver/client'
import { openDatabase, type Database } from '@feed-receiver/database'
import { createInbox } from '@feed-receiver/inbox'

const [target = '', baseUrl = '', step = 'never', page = '0'] = process.argv.slice(2)
let pages = 0

const database = openDatabase(target.startsWith('postgres:') ? target : { folder: target })
await database.query('create table if not exists effect (event_id text)')
const dyingDatabase: Database = {
  ...database,
  tx: (run) =>
    database.tx(async (tx) => {
      const result = await run(tx)
      dieAt('stored')
      return result
    }),
}
const inbox = createInbox({ database: dyingDatabase })
await inbox.start()

const dyingInbox: PollInbox = {
  ...inbox,
  async acceptPage(events, progress) {
    pages += 1
    dieAt('fetched')
    const result = await inbox.acceptPage(events, progress)
    dieAt('committed')
    return result
  },
}
const poller = createPoller({
  client: createClient({ baseUrl, apiKey: 'feed_live_good' }),
  inbox: dyingInbox,
  leaseMs: 200,
})
let round = await poller.poll()
// The lease of the killed process may have to expire first.
while (round.outcome === 'elsewhere') round = await poller.poll()
await inbox.drain({
  '*': (event, { tx }) => tx.query('insert into effect values ($1)', [event.id]),
})
const { rows } = await database.query<{ event_id: string }>('select event_id from effect')
console.log(JSON.stringify({ outcome: round.outcome, effects: rows.map((row) => row.event_id) }))
await inbox.stop()
await database.close()

function dieAt(here: string): void {
  if (here === step && pages === Number(page)) process.kill(process.pid, 'SIGKILL')
}

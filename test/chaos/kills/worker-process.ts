/**
 * A worker in its own process, which prints a line once it works. Its handler records its beginning
 * and its end, even if its transaction is rolled back. Argument: the URL of the database.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { openDatabase } from '@feed-receiver/database'
import { createInbox } from '@feed-receiver/inbox'

const [url = ''] = process.argv.slice(2)

const database = openDatabase(url)
const notes = openDatabase(url, { maxConnections: 4 })
const inbox = createInbox({ database })
await inbox.start()
await inbox.work(
  {
    '*': async ({ id, type }, { tx }) => {
      await tx.query('insert into effect values ($1)', [id])
      const { rows } = await note(
        'insert into run (event_id, type) values ($1, $2) returning id',
        id,
        type,
      )
      await delay(40)
      await note('update run set ended_at = clock_timestamp() where id = $1', rows[0]?.id)
    },
  },
  { limits: { outage_started: { concurrency: 1 } }, onFailed: () => {}, onDead: () => {} },
)
console.log('works')

/** In a separate task, because the database rejects other calls beside an open transaction. */
function note(text: string, ...values: unknown[]): Promise<{ rows: { id: number }[] }> {
  return notes.query<{ id: number }>(text, values)
}

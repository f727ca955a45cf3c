/**
 * One contender of the `reprocess` benchmark in its own process: the inbox, which reprocesses
 * entries, or bare pg-boss, which inserts as many jobs, a thousand at a time. Each line of input starts
 * a round: `run`, or `run and handle`, which ends when handlers have inserted a row for each. It
 * prints how long that took, in seconds. Arguments: feed-receiver or bare, a PostgreSQL URL, and the
 * number of entries.
 */
import { createInterface } from 'node:readline'
import { createInbox, type Handler } from '@feed-receiver/inbox'
import { fixture } from '@feed-receiver/sender'
import { Client } from 'pg'
import { PgBoss } from 'pg-boss'

const [contender = '', url = '', given = ''] = process.argv.slice(2)
const count = Number(given)
const client = new Client({ connectionString: url })
await client.connect()
const reprocessor = contender === 'feed-receiver' ? await viaInbox() : await bare()

for await (const line of createInterface({ input: process.stdin })) {
  await reprocessor.prepare()
  const startedAt = performance.now()
  await reprocessor.run()
  if (line === 'run and handle') await reprocessor.handle?.()
  console.log(String((performance.now() - startedAt) / 1_000))
}
process.exit(0)

interface Reprocessor {
  prepare(): Promise<void>
  run(): Promise<void>
  /** Handles all that was run. */
  handle?(): Promise<void>
}

async function viaInbox(): Promise<Reprocessor> {
  const inbox = createInbox({ database: url })
  await inbox.start()
  await client.query('create table if not exists handled (event_id text not null)')
  const event = fixture('model_release', { id: 'reprocessed_' })
  await client.query(
    `with stored as (
       insert into feed_inbox.entry (source, event_id, state, type, provider, category, subject_type,
         subject_key, title, confirmation, signed_by, signed_at, created_at, received_at)
       select 'feed', 'reprocessed_' || n, 'done', $2, $3, $4, $5, $6, $7, $8,
         'abcdef012345', now(), now(), now() - interval '1 day' + n * interval '1 millisecond'
       from generate_series(1, $9::integer) n
       returning id
     )
     insert into feed_inbox.entry_body (entry_id, body) select id, convert_to($1, 'UTF8') from stored`,
    [JSON.stringify(event), ...columnsOf(event), count],
  )
  return {
    async prepare() {
      await client.query('truncate feed_inbox.operation, feed_inbox.operation_entry, handled')
      await client.query(`update feed_inbox.entry set state = 'done', handled_at = now()`)
      await empty('feed_inbox')
      await client.query('vacuum analyze feed_inbox.entry')
    },
    async run() {
      const { reprocessed } = await inbox.entries.reprocess({ filter: { type: event.type } })
      if (reprocessed !== count) throw new Error(`${reprocessed} were reprocessed.`)
    },
    async handle() {
      const insert: Handler = ({ id }, { tx }) =>
        tx.query('insert into handled values ($1)', [id]).then(() => undefined)
      const { handled } = await inbox.drain({ '*': insert }, { forMs: 600_000 })
      if (handled !== count) throw new Error(`${handled} were handled.`)
    },
  }
}

async function bare(): Promise<Reprocessor> {
  const boss = new PgBoss({ connectionString: url, schema: 'bare', schedule: false })
  await boss.start()
  await boss.createQueue('events', { retryLimit: 10, retryBackoff: true, notify: true })
  return {
    prepare: () => empty('bare'),
    async run() {
      for (let from = 0; from < count; from += 1_000) {
        const ids = Array.from({ length: 1_000 }, (_, index) => from + index)
        await boss.insert(
          'events',
          ids.map((entryId) => ({ data: { entryId } })),
        )
      }
    },
  }
}

async function empty(queue: string): Promise<void> {
  await client.query(`truncate ${queue}.job_common`)
  await client.query('checkpoint')
}

function columnsOf({ type, data }: ReturnType<typeof fixture>): unknown[] {
  const { provider, category, subject, title, confirmation } = data
  return [type, provider, category, subject.type, subject.key, title, confirmation]
}

/**
 * The sandbox in a process of its own, as a feed for the `pull` benchmark that leads through all its
 * history. Prints its address and an API key; each line on its input is a number of events that the
 * feed is to have, and is answered once it has them. Argument: a PostgreSQL URL.
 */
import { createInterface } from 'node:readline'
import { createSandbox } from '@feed-receiver/sandbox'
import { Pool } from 'pg'

const [url = ''] = process.argv.slice(2)
const unlimited = 1_000_000_000
const sandbox = createSandbox({
  database: url,
  port: 0,
  firstCursor: 'replay',
  encryptionKey: '5a'.repeat(32),
})
await sandbox.start()
await sandbox.control.changeAccount({
  id: 'acct_sandbox',
  usageLimit: unlimited,
  burstLimit: unlimited,
})
const { key } = await sandbox.control.createKey({ accountId: 'acct_sandbox', name: 'benchmark' })
const pool = new Pool({ connectionString: url, max: 1 })
console.log(`${sandbox.url} ${key}`)

for await (const line of createInterface({ input: process.stdin })) {
  await growTo(Number(line))
  console.log('ready')
}

/** Copies of the history, under other ids: to compose so many would take far longer than to read them. */
async function growTo(count: number): Promise<void> {
  await pool.query(
    `with known as materialized (
       select e.*, row_number() over (order by position) as place, count(*) over () as known
       from sandbox.event e where is_confirmed
     ),
     more as (
       select known.*, n, id || '_' || n || '_' || known as new_id
       from known, generate_series(1, $1::int / known + 1) n
       where place + n * known <= $1::int
     )
     insert into sandbox.event
       (id, position, provider, type, is_confirmed, first_observed_at, body)
     select new_id, nextval('sandbox.feed_position'), provider, type, is_confirmed,
       first_observed_at, replace(body, id, new_id)
     from more`,
    [count],
  )
  await pool.query('analyze sandbox.event')
}

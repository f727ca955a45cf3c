/**
 * A sandbox on PostgreSQL in its own process. Its account has practically no quota, and its first
 * cursor leads through all its history. Argument: a PostgreSQL URL. Prints a JSON line. Then `grow
 * <n>` adds events until there are n, and it answers `charged` with the requests so far.
 */
import { createInterface } from 'node:readline'
import { createSandbox } from '@feed-receiver/sandbox'
import { Pool } from 'pg'

export interface FeedServer {
  url: string
  key: string
}

const [url = ''] = process.argv.slice(2)
const accountId = 'acct_sandbox'
const unlimited = 1_000_000_000
const sandbox = createSandbox({
  database: url,
  port: 0,
  firstCursor: 'replay',
  encryptionKey: '5a'.repeat(32),
})
await sandbox.start()
await sandbox.control.changeAccount({
  id: accountId,
  usageLimit: unlimited,
  burstLimit: unlimited,
})
const { key } = await sandbox.control.createKey({ accountId, name: 'benchmark' })
const pool = new Pool({ connectionString: url, max: 1 })
const server: FeedServer = { url: sandbox.url, key }
console.log(JSON.stringify(server))

for await (const line of createInterface({ input: process.stdin })) {
  const [command, count] = line.split(' ')
  console.log(command === 'grow' ? await growTo(Number(count)) : await countCharged())
}
process.exit(0)

/**
 * Copies the history under other ids, because composing as many events takes far longer than
 * reading them.
 */
async function growTo(count: number): Promise<'ready'> {
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
  return 'ready'
}

async function countCharged(): Promise<number> {
  const { rows } = await pool.query<{ requests: string }>(
    'select requests from sandbox.allowance where account_id = $1',
    [accountId],
  )
  return Number(rows[0]?.requests ?? 0)
}

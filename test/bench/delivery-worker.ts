/**
 * A sandbox that delivers, in its own process. Arguments: a PostgreSQL URL, and the port of the
 * receiver. Each line of input is a number of deliveries, which it makes due in one transaction.
 * The answer is a JSON line: the time until the last of them was stored as delivered.
 */
import { createInterface } from 'node:readline'
import { openDatabase } from '@feed-receiver/database'
import { createSandbox } from '@feed-receiver/sandbox'
import { fixture } from '@feed-receiver/sender'

export interface DeliveryResult {
  seconds: number
  failures: number
}

const [url = '', port = ''] = process.argv.slice(2)
const database = openDatabase(url)
const sandbox = createSandbox({
  database: url,
  port: 0,
  historyDays: 0,
  encryptionKey: '5a'.repeat(32),
})
await sandbox.start()
const { id } = await sandbox.control.createDestination({
  accountId: 'acct_sandbox',
  name: 'Benchmark',
  url: `http://localhost:${port}/webhooks/feed`,
})
await sandbox.control.testDestination({ id })
const body = JSON.stringify(fixture('model_release', { id: 'evt_sandbox_benchmark' }))
let made = 0
console.log('ready')

for await (const line of createInterface({ input: process.stdin })) {
  const count = Number(line)
  await insertDue(count)
  const startedAt = performance.now()
  while ((await countPending()) > 0) await new Promise((resolve) => setTimeout(resolve, 20))
  const seconds = (performance.now() - startedAt) / 1000
  made += count
  const result: DeliveryResult = { seconds, failures: made - (await countDelivered()) }
  console.log(JSON.stringify(result))
}
process.exit(0)

async function insertDue(count: number): Promise<void> {
  await database.query(
    `insert into sandbox.delivery (destination_id, event_id, kind, state, body, next_attempt_at)
     select $1, 'evt_sandbox_' || n, 'live', 'scheduled',
       replace($2, 'evt_sandbox_benchmark', 'evt_sandbox_' || n), sandbox.clock_time()
     from generate_series($3::integer + 1, $3::integer + $4::integer) n`,
    [id, body, made, count],
  )
}

// Each state has its own small index.
async function countPending(): Promise<number> {
  const { rows } = await database.query<{ pending: number }>(
    `select (select count(*) from sandbox.delivery where state = 'scheduled')
       + (select count(*) from sandbox.delivery where state = 'in_flight') as pending`,
  )
  return rows[0]?.pending ?? 0
}

async function countDelivered(): Promise<number> {
  const { rows } = await database.query<{ delivered: number }>(
    `select count(*) as delivered from sandbox.delivery where state = 'delivered' and kind = 'live'`,
  )
  return rows[0]?.delivered ?? 0
}

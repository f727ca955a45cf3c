/**
 * A sandbox with 100,000 events whose account has no limit to speak of, in a process of its own.
 * Argument: a PostgreSQL URL. Prints a JSON line: where it listens, a key, and the cursor of each page
 * from the oldest on. Every line on its input is answered with how many requests were charged so far.
 */
import { createInterface } from 'node:readline'
import { openDatabase } from '@feed-receiver/database'
import { createSandbox } from '@feed-receiver/sandbox'

export interface PullServer {
  port: number
  key: string
  /** The first leads to the oldest 50 events, each further one to the 50 after. */
  cursors: string[]
}

const events = 100_000
const accountId = 'acct_sandbox'
const none = 1_000_000_000

const [url = ''] = process.argv.slice(2)
const database = openDatabase(url)
const sandbox = createSandbox({
  database: url,
  port: 0,
  firstCursor: 'replay',
  encryptionKey: '5a'.repeat(32),
})
await sandbox.start()
await multiplyEvents()
await sandbox.control.changeAccount({ id: accountId, usageLimit: none, burstLimit: none })
const { key } = await sandbox.control.createKey({ accountId, name: 'Benchmark' })
const cursors = await walk()
console.log(JSON.stringify({ port: Number(new URL(sandbox.url).port), key, cursors }))

for await (const _ of createInterface({ input: process.stdin })) console.log(await countCharged())
process.exit(0)

/** Real bodies, again and again: the seeded history, each time under other ids. */
async function multiplyEvents(): Promise<void> {
  await database.query(
    `with kept as (
       select *, row_number() over (order by position) as place, count(*) over () as kept
       from sandbox.event where is_confirmed
     )
     insert into sandbox.event
       (id, position, provider, type, is_confirmed, first_observed_at, body)
     select id || '_' || n, nextval('sandbox.feed_position'), provider, type, true,
       first_observed_at, replace(body, '"id":"' || id || '"', '"id":"' || id || '_' || n || '"')
     from generate_series(1, $1::integer) n
     join kept on n % kept + 1 = place`,
    [events],
  )
  await database.query('analyze sandbox.event')
}

async function walk(): Promise<string[]> {
  const found: string[] = []
  for (let path = '', hasMore = true; hasMore;) {
    const headers = { authorization: `Bearer ${key}` }
    const answer = await fetch(`${sandbox.url}/v1/events?limit=50${path}`, { headers })
    const page = (await answer.json()) as { nextCursor: string; hasMore: boolean }
    ;({ hasMore } = page)
    if (hasMore) found.push(page.nextCursor)
    path = `&cursor=${page.nextCursor}`
  }
  return found
}

async function countCharged(): Promise<number> {
  const { rows } = await database.query<{ requests: number }>(
    'select requests from sandbox.allowance where account_id = $1',
    [accountId],
  )
  return rows[0]?.requests ?? 0
}

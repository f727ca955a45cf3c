/**
 * The cost of an event, for sizing machines: processor time of Node and PostgreSQL to accept and
 * handle it, bytes of PostgreSQL's log, and stored bytes by place. Only on Linux, which reports
 * these times.
 */
import { createInbox } from '@feed-receiver/inbox'
import { Client } from 'pg'
import { startStore } from '../bench-store.ts'
import { costFigures, costOf, type Cost } from '../cost-of.ts'
import { figureOf, type Figure } from '../figure.ts'
import { startLoad } from '../start-load.ts'
import { startBenchProgram } from '../start-bench-program.ts'

const secret = 'feed_whsec_benchmark_0123456789abcdef'
const schema = 'feed_inbox'
const rounds = 8
const warmUps = 2
const loads = [
  { name: 'accepted alone', connections: 1, requests: 2_000 },
  { name: 'accepted with many', connections: 64, requests: 10_000 },
]

export async function measure(say: (line: string) => void): Promise<Figure[]> {
  const store = await startStore({ hasPostgres: true })
  const client = new Client({ connectionString: store.databaseUrl })
  await client.connect()
  const server = startBenchProgram('accept-server.ts', [
    'fastify',
    'feed-receiver',
    secret,
    store.databaseUrl,
    schema,
  ])
  try {
    const port = Number(await server.nextLine())
    const figures: Figure[] = []
    for (const { name, connections, requests } of loads) {
      say(`${rounds} rounds of ${requests} events at ${connections} connections`)
      const newEvents = `cost_${connections}`
      const load = await startLoad({ port, connections, seconds: 60, requests, secret, newEvents })
      for (let count = 0; count < warmUps; count += 1) await load.round()
      const costs: Cost[] = []
      for (let count = 0; count < rounds; count += 1) {
        costs.push(
          await costOf(store, server.pid, async () => {
            await load.round()
            return requests
          }),
        )
      }
      load.stop()
      figures.push(...costFigures(name, costs))
    }
    server.kill()

    const { count } = await one<{ count: number }>(`select count(*)::int from ${schema}.entry`)
    say(`handling ${count} events`)
    figures.push(
      ...costFigures('handled', [await costOf(store, process.pid, () => handleAll(count))]),
    )
    const vacuumed = await costOf(store, undefined, async () => {
      await client.query(`vacuum analyze ${schema}.entry, ${schema}.entry_body, ${schema}.job`)
      return count
    })
    figures.push(figureOf('vacuumed: PostgreSQL', 'µs', [vacuumed.postgresUs]))
    return [...figures, ...(await sizes(count))]
  } finally {
    server.kill()
    await client.end()
    await store.stop()
  }

  async function handleAll(all: number): Promise<number> {
    await using inbox = createInbox({ database: store.databaseUrl, schema })
    await inbox.start()
    await inbox.work({ '*': () => {} }, { concurrency: 8 })
    for (;;) {
      const { count } = await inbox.entries.count({ state: 'received' })
      if (count === 0) return all
      await new Promise((resolve) => setTimeout(resolve, 500))
    }
  }

  async function sizes(events: number): Promise<Figure[]> {
    const bytes = await one<Record<string, number>>(
      `select pg_table_size('${schema}.entry')::float8 as "entry: table",
         pg_indexes_size('${schema}.entry')::float8 as "entry: indexes",
         pg_total_relation_size('${schema}.entry_body')::float8 as "body",
         (select sum(pg_total_relation_size(oid))::float8 from pg_class
          where oid in (select relid from pg_partition_tree('${schema}.job'))
            and relkind = 'r') as "job, for 7 days"`,
    )
    return Object.entries(bytes).map(([name, size]) => figureOf(name, 'B', [size / events]))
  }

  async function one<Row>(text: string): Promise<Row> {
    const { rows } = await client.query(text)
    return rows[0] as Row
  }
}

/**
 * The cost of an event, for sizing machines: processor time of Node and PostgreSQL to accept and
 * handle it, bytes of PostgreSQL's log, and stored bytes by place. Only on Linux, which reports
 * these times.
 */
import { createInbox } from '@feed-receiver/inbox'
import { Client } from 'pg'
import { cpuTime, familyCpuTime } from '../cpu-time.ts'
import { figureOf, type Figure } from '../figure.ts'
import { startSettledPostgres } from '../settled-postgres.ts'
import { startLoad } from '../start-load.ts'
import { startProcess } from '../start-process.ts'

const secret = 'feed_whsec_benchmark_0123456789abcdef'
const schema = 'feed_inbox'
const rounds = 8
const warmUps = 2
const loads = [
  { name: 'accepted alone', connections: 1, requests: 2_000 },
  { name: 'accepted with many', connections: 64, requests: 10_000 },
]

interface Cost {
  nodeUs: number
  postgresUs: number
  logBytes: number
}

export async function measure(say: (line: string) => void): Promise<Figure[]> {
  const postgres = await startSettledPostgres()
  const client = new Client({ connectionString: postgres.url })
  await client.connect()
  const server = startProcess('accept-server.ts', ['fastify', 'ours', secret, postgres.url, schema])
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
        costs.push(await costOf(requests, server.pid, () => load.round()))
      }
      load.stop()
      figures.push(...costFigures(name, costs))
    }
    server.kill()

    const { count } = await one<{ count: number }>(`select count(*)::int from ${schema}.entry`)
    say(`handling ${count} events`)
    figures.push(...costFigures('handled', [await costOf(count, process.pid, handleAll)]))
    const vacuumed = await costOf(count, undefined, () =>
      client.query(`vacuum analyze ${schema}.entry, ${schema}.entry_body, ${schema}_queue.job`),
    )
    figures.push(figureOf('vacuumed: PostgreSQL', 'µs', [vacuumed.postgresUs]))
    return [...figures, ...(await sizes(count))]
  } finally {
    server.kill()
    await client.end()
    await postgres.stop()
  }

  /** The cost of one event while this many are processed. */
  async function costOf(
    events: number,
    nodePid: number | undefined,
    run: () => Promise<unknown>,
  ): Promise<Cost> {
    const read = async () => ({
      nodeUs: nodePid === undefined ? 0 : cpuTime(nodePid),
      postgresUs: familyCpuTime(postgres.pid),
      logBytes: (
        await one<{ at: number }>(
          `select (pg_current_wal_insert_lsn() - '0/0'::pg_lsn)::float8 as at`,
        )
      ).at,
    })
    const before = await read()
    await run()
    const after = await read()
    return {
      nodeUs: (after.nodeUs - before.nodeUs) / events,
      postgresUs: (after.postgresUs - before.postgresUs) / events,
      logBytes: (after.logBytes - before.logBytes) / events,
    }
  }

  async function handleAll(): Promise<void> {
    await using inbox = createInbox({ database: postgres.url, schema })
    await inbox.start()
    await inbox.work({ '*': () => {} }, { concurrency: 8 })
    for (;;) {
      const { count } = await inbox.entries.count({ state: 'received' })
      if (count === 0) return
      await new Promise((resolve) => setTimeout(resolve, 500))
    }
  }

  async function sizes(events: number): Promise<Figure[]> {
    const bytes = await one<Record<string, number>>(
      `select pg_table_size('${schema}.entry')::float8 as "entry: table",
         pg_indexes_size('${schema}.entry')::float8 as "entry: indexes",
         pg_total_relation_size('${schema}.entry_body')::float8 as "body",
         (select sum(pg_total_relation_size(oid))::float8 from pg_class
          where relnamespace = '${schema}_queue'::regnamespace and relkind = 'r') as "job, for 7 days"`,
    )
    return Object.entries(bytes).map(([name, size]) => figureOf(name, 'B', [size / events]))
  }

  async function one<Row>(text: string): Promise<Row> {
    const { rows } = await client.query(text)
    return rows[0] as Row
  }
}

function costFigures(name: string, costs: Cost[]): Figure[] {
  return [
    figureOf(
      `${name}: Node`,
      'µs',
      costs.map(({ nodeUs }) => nodeUs),
    ),
    figureOf(
      `${name}: PostgreSQL`,
      'µs',
      costs.map(({ postgresUs }) => postgresUs),
    ),
    figureOf(
      `${name}: log`,
      'B',
      costs.map(({ logBytes }) => logBytes),
    ),
  ]
}

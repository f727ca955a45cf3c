/**
 * The effect of a million stored entries: accepting new events, compared with an empty inbox in the
 * same PostgreSQL, and the bytes of an entry of one kilobyte, including its share of every index.
 */
import { Client } from 'pg'
import { startWarmPostgres } from '../warm-postgres.ts'
import { figureOf, type Figure } from '../figure.ts'
import { fillInbox, installInbox } from '../fill-inbox.ts'
import { ratios, takeTurns } from '../interleave.ts'
import { startLoadOn, type Load } from '../start-load.ts'
import { startBenchProgram } from '../start-bench-program.ts'

const secret = 'feed_whsec_benchmark_0123456789abcdef'
const schemas = ['empty_inbox', 'full_inbox'] as const
const entries = 1_000_000
const batch = 100_000
const rounds = 20
const warmUps = 4
const seconds = 0.75

export async function measure(say: (line: string) => void): Promise<Figure[]> {
  const postgres = await startWarmPostgres()
  const client = new Client({ connectionString: postgres.url })
  await client.connect()
  const loads = new Map<string, Load>()
  try {
    await installInbox(postgres.url, 'full_inbox')
    for (let stored = 0; stored < entries; stored += batch) {
      say(`filling: ${stored} of ${entries} entries`)
      await fillInbox(client, 'full_inbox', { from: stored, count: batch, of: entries })
    }
    const bytes = await bytesPerEntry(client)
    await client.query('vacuum analyze full_inbox.entry, full_inbox.entry_body')
    await client.query('checkpoint')

    // Not earlier, because the server closes connections that are idle for a minute.
    for (const schema of schemas) {
      const args = ['fastify', 'feed-receiver', secret, postgres.url, schema]
      const plan = { connections: 64, seconds, secret, newEvents: schema }
      loads.set(schema, await startLoadOn(startBenchProgram('accept-server.ts', args), plan))
    }
    say(`${rounds} rounds of ${seconds} s at 64 connections on ${schemas.join(' and ')}`)
    const rates = await takeTurns(schemas, { rounds, warmUps }, async (schema) => {
      const { requests = 0, seconds: took = 0 } = (await loads.get(schema)?.round()) ?? {}
      return requests / took
    })
    return [
      figureOf('accept: into an empty inbox', '/s', rates.empty_inbox),
      figureOf('accept: beside 1,000,000 entries', '/s', rates.full_inbox),
      figureOf('accept: full to empty', '×', ratios(rates.full_inbox, rates.empty_inbox), {
        atLeast: 0.9,
      }),
      figureOf('bytes of an entry with a body of 1 KB', 'B', [bytes]),
    ]
  } finally {
    for (const { stop } of loads.values()) stop()
    await client.end()
    await postgres.stop()
  }
}

async function bytesPerEntry(client: Client): Promise<number> {
  const { rows } = await client.query(
    `select (pg_total_relation_size('full_inbox.entry')
       + pg_total_relation_size('full_inbox.entry_body'))::float8 / ${entries} as bytes`,
  )
  return rows[0].bytes
}

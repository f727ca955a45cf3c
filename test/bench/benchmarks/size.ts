/**
 * What a million stored entries change: accepting new events beside an empty inbox in the same
 * PostgreSQL, and how many bytes an entry of a kilobyte takes, its share of every index included.
 */
import { Client } from 'pg'
import { startSettledPostgres } from '../settled-postgres.ts'
import { figureOf, type Figure } from '../figure.ts'
import { ratios, takeTurns } from '../interleave.ts'
import { startLoadOn, type Load } from '../start-load.ts'
import { startProcess } from '../start-process.ts'

const secret = 'feed_whsec_benchmark_0123456789abcdef'
const schemas = ['empty_inbox', 'full_inbox'] as const
const entries = 1_000_000
const batch = 100_000
const rounds = 20
const warmUps = 4
const seconds = 0.75

export async function measure(say: (line: string) => void): Promise<Figure[]> {
  const postgres = await startSettledPostgres()
  const client = new Client({ connectionString: postgres.url })
  await client.connect()
  const loads = new Map<string, Load>()
  try {
    for (const schema of schemas) {
      const args = ['fastify', 'ours', secret, postgres.url, schema]
      const plan = { connections: 64, seconds, secret, newEvents: schema }
      loads.set(schema, await startLoadOn(startProcess('accept-server.ts', args), plan))
    }
    for (let stored = 0; stored < entries; stored += batch) {
      say(`filling: ${stored} of ${entries} entries`)
      await fill(client, stored)
    }
    const bytes = await bytesPerEntry(client)
    await client.query('vacuum analyze full_inbox.entry')
    await client.query('checkpoint')

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

// Entries like those of the load, of many providers and subjects, over the last weeks.
async function fill(client: Client, from: number): Promise<void> {
  await client.query(
    `insert into full_inbox.entry (source, event_id, state, body, sha256, signed_by, signed_at,
       headers, type, provider, category, subject_type, subject_key, title, confirmation, created_at,
       received_at, handled_at, push_count, first_push_at, last_push_at)
     select 'feed', 'evt_full_' || n, 'done', convert_to(rpad(md5(n::text), 1000, md5(n::text)), 'utf8'),
       encode(sha256(n::text::bytea), 'hex'), 'abcdef012345', at, '{"content-type": "application/json"}',
       'type_' || n % 20, 'provider_' || n % 50, 'category_' || n % 9, 'model', 'model-' || n % 5000,
       'Title number ' || n, 'confirmed', at, at, at, 1, at, at
     from generate_series($1::integer, $1::integer + ${batch - 1}) n,
       lateral (select now() - (${entries} - n) * interval '2 seconds' as at) times`,
    [from],
  )
}

async function bytesPerEntry(client: Client): Promise<number> {
  const { rows } = await client.query(
    `select pg_total_relation_size('full_inbox.entry')::float8 / ${entries} as bytes`,
  )
  return rows[0].bytes
}

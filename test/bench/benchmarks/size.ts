/**
 * What a million stored entries change: accepting new events beside an empty inbox in the same
 * PostgreSQL, and how many bytes an entry of a kilobyte takes, its share of every index included.
 */
import { Client } from 'pg'
import { startPostgres } from '../../support/postgres.ts'
import { figureOf, type Figure } from '../figure.ts'
import { ratios } from '../interleave.ts'
import { runLoad } from '../run-load.ts'
import { startProcess } from '../start-process.ts'

const secret = 'feed_whsec_benchmark_0123456789abcdef'
const schemas = ['empty_inbox', 'full_inbox'] as const
const entries = 1_000_000
const batch = 100_000
const rounds = 5
const seconds = 3

export async function measure(say: (line: string) => void): Promise<Figure[]> {
  const postgres = await startPostgres({ isDurable: true })
  const client = new Client({ connectionString: postgres.url })
  await client.connect()
  const servers = []
  try {
    for (const schema of schemas) {
      const server = startProcess('accept-server.ts', [
        'fastify',
        'ours',
        secret,
        postgres.url,
        schema,
      ])
      servers.push({ ...server, schema, port: Number(await server.nextLine()) })
    }
    for (let stored = 0; stored < entries; stored += batch) {
      say(`filling: ${stored} of ${entries} entries`)
      await fill(client, stored)
    }
    const bytes = await bytesPerEntry(client)
    await client.query('vacuum analyze full_inbox.entry')
    await client.query('checkpoint')

    const rates = new Map(schemas.map((schema) => [schema, [] as number[]]))
    say(`${rounds} rounds of ${seconds} s at 64 connections on ${schemas.join(' and ')}`)
    for (let round = 0; round <= rounds; round += 1) {
      for (const { schema, port } of round % 2 === 0 ? servers : servers.toReversed()) {
        const newEvents = `${schema}_${round}`
        const plan = { port, connections: 64, seconds, secret, newEvents }
        const { requests, seconds: took } = await runLoad(plan)
        if (round > 0) rates.get(schema)?.push(requests / took)
      }
    }
    const [empty = [], full = []] = [...rates.values()]
    return [
      figureOf('accept: into an empty inbox', '/s', empty),
      figureOf('accept: beside 1,000,000 entries', '/s', full),
      figureOf('accept: full to empty', '×', ratios(full, empty), { atLeast: 0.9 }),
      figureOf('bytes of an entry with a body of 1 KB', 'B', [bytes]),
    ]
  } finally {
    for (const { kill } of servers) kill()
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

import { statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { Client } from 'pg'
import { openEventTable } from '../contenders/event-table.ts'
import { createTestDatabase, type PostgresServer } from '../../support/postgres.ts'
import { figureOf, type Figure } from '../figure.ts'
import { fillInbox, installInbox, randomId } from '../fill-inbox.ts'
import { ratios, takeTurns } from '../interleave.ts'
import type { LoadResult } from '../load.ts'
import { startWarmPostgres } from '../warm-postgres.ts'
import { startLoadOn, type Load } from '../start-load.ts'
import { startBenchProgram } from '../start-bench-program.ts'
import { compareLoads, rateOf } from '../compare.ts'
import { secret, type Part } from './contender-server.ts'

const usualEntries = [1_000_000]
const batch = 100_000
/** On disk, of an entry of ours and of a row of pg-boss, with indexes and what is left to spare. */
const bytesPerEntry = 4_500
const rounds = 12
const seconds = 0.75
const connections = 64

/** One server: how many entries are there already, and the rest of its arguments. */
interface FullServer {
  name: 'feed-receiver' | 'pg-boss'
  size: number
  args: string[]
}

/** Accepting with nothing stored, and with many entries. The table of `naive` is that of pg-boss. */
export async function compareFull({ say }: Part, entries: readonly number[]): Promise<Figure[]> {
  const postgres = { ours: await startWarmPostgres(), pgBoss: await startWarmPostgres() }
  const loads: Load[] = []
  try {
    const servers: FullServer[] = []
    for (const size of [0, ...(entries.length > 0 ? entries : usualEntries)]) {
      if (!(await hasRoom(size))) {
        say(`full: left out ${size} entries, because the disk has no room for them`)
        continue
      }
      say(`full: storing ${size} entries`)
      const [ours, pgBoss] = await Promise.all([
        fillOurs(postgres.ours, size, say),
        fillPgBoss(postgres.pgBoss, size, say),
      ])
      servers.push(
        { name: 'feed-receiver', size, args: ours },
        { name: 'pg-boss', size, args: pgBoss },
      )
    }
    for (const { name, size, args } of servers) {
      const server = startBenchProgram('accept-server.ts', ['express', name, secret, ...args])
      const newEvents = `full_${size}`
      const plan = { connections, seconds, secret, newEvents, hasRandomIds: true }
      loads.push(await startLoadOn(server, plan))
    }
    say(`full: ${rounds} rounds of ${seconds} s at ${connections} connections`)
    const measured = await takeTurns(Object.keys(servers), { rounds, warmUps: 3 }, async (at) => {
      const load = loads[Number(at)]
      if (!load) throw new Error('There is no load.')
      return await load.round()
    })
    return figuresOf(servers, measured)
  } finally {
    for (const { stop } of loads) stop()
    await Promise.all(Object.values(postgres).map(({ stop }) => stop()))
  }
}

function figuresOf(servers: FullServer[], measured: Record<string, LoadResult[]>): Figure[] {
  const resultsOf = (name: FullServer['name'], size: number) =>
    measured[servers.findIndex((server) => server.name === name && server.size === size)] ?? []
  const rates = (name: FullServer['name'], size: number) => resultsOf(name, size).map(rateOf)
  const sizes = [...new Set(servers.map(({ size }) => size))]
  const full = servers.filter(({ size }) => size > 0)
  return [
    ...sizes.flatMap((size) =>
      compareLoads(`accept with ${size} entries`, {
        'feed-receiver': resultsOf('feed-receiver', size),
        'pg-boss': resultsOf('pg-boss', size),
      }),
    ),
    ...full.map(({ name, size }) =>
      figureOf(`${name}: ${size} entries to none`, '×', ratios(rates(name, size), rates(name, 0))),
    ),
  ]
}

async function hasRoom(entries: number): Promise<boolean> {
  const { bavail, bsize } = await statfs(tmpdir())
  return entries * bytesPerEntry < bavail * bsize
}

async function fillOurs(
  { url }: PostgresServer,
  size: number,
  say: Part['say'],
): Promise<string[]> {
  const schema = `full_${size}`
  await installInbox(url, schema)
  await inBatches({
    url,
    size,
    tables: [`${schema}.entry`, `${schema}.entry_body`],
    say,
    fill: (client, from, count) =>
      fillInbox(client, schema, { from, count, of: size, hasRandomIds: true }),
  })
  return [url, schema]
}

async function fillPgBoss(
  server: PostgresServer,
  size: number,
  say: Part['say'],
): Promise<string[]> {
  const { url } = await createTestDatabase(server)
  const pool = await openEventTable({ name: 'fill', databaseUrl: url })
  await pool.end()
  await inBatches({
    url,
    size,
    tables: ['event'],
    say,
    async fill(client, _from, count) {
      await client.query(
        `insert into event (id, type, body)
         select ${randomId}, 'model_release', convert_to(rpad(sum, 1000, sum), 'utf8')
         from generate_series(1, $1::integer) n,
           lateral (select encode(sha256(n::text::bytea), 'hex') as sum) sums`,
        [count],
      )
    },
  })
  return [url]
}

interface Batches extends Pick<Part, 'say'> {
  url: string
  size: number
  tables: readonly string[]
  fill(client: Client, from: number, count: number): Promise<void>
}

async function inBatches({ url, size, tables, say, fill }: Batches): Promise<void> {
  const client = new Client({ connectionString: url })
  await client.connect()
  const indexes = await dropIndexes(client, tables)
  for (let from = 0; from < size; from += batch) {
    await fill(client, from, Math.min(batch, size - from))
    const stored = from + batch
    if (stored % 1_000_000 === 0) say(`full: ${stored} of ${size} in ${tables[0]}`)
  }
  await client.query(`set maintenance_work_mem = '1GB'`)
  for (const create of indexes) await client.query(create)
  await client.query(`vacuum analyze ${tables.join(', ')}`)
  await client.query('checkpoint')
  await client.end()
}

/**
 * Drops the indexes that no constraint needs, and returns the statements that create them again.
 * That is much faster than filling them row by row, and they are the same in the end.
 */
async function dropIndexes(client: Client, tables: readonly string[]): Promise<string[]> {
  const { rows } = await client.query<{ name: string; definition: string }>(
    `select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition
     from pg_index where indrelid = any($1::regclass[])
       and not exists (select from pg_constraint where conindid = indexrelid)`,
    [tables],
  )
  for (const { name } of rows) await client.query(`drop index ${name}`)
  return rows.map(({ definition }) => definition)
}

/**
 * How long a list takes with three million entries on a cold disk, for each pair of filters. Some
 * pairs match nothing, however far back the list looks. Before each one, PostgreSQL restarts, and
 * the system drops its file cache (as root; otherwise only PostgreSQL is cold).
 */
import { accessSync, constants, writeFileSync } from 'node:fs'
import { createInbox, type EntryFilter } from '@feed-receiver/inbox'
import { Client } from 'pg'
import { fillInbox, installInbox } from '../fill-inbox.ts'
import { figureOf, type Figure } from '../figure.ts'
import { startWarmPostgres } from '../warm-postgres.ts'

const schema = 'full_inbox'
const entries = 3_000_000
const batch = 100_000
const fileCache = '/proc/sys/vm/drop_caches'

/** Each of these pairs of a type and a provider never occurs. */
const filters: EntryFilter[] = [
  { type: 'type_3' },
  { provider: 'provider_4' },
  { category: 'category_5' },
  { subject: 'model-17' },
  { state: 'dead' },
  { minRevision: 2 },
  { search: 'title number 1' },
  { since: new Date(Date.now() - 30 * 86_400_000) },
]

export async function measure(say: (line: string) => void): Promise<Figure[]> {
  const postgres = await startWarmPostgres()
  try {
    await installInbox(postgres.url, schema)
    await fill(postgres.url, say)
    const pairs = filters.flatMap((one, at) =>
      filters.slice(at + 1).map((other) => ({ ...one, ...other })),
    )
    say(`${pairs.length} pairs of filters${canForgetFiles() ? '' : ', the cache of files warm'}`)
    const times: number[] = []
    for (const pair of pairs) {
      await postgres.restart()
      if (canForgetFiles()) writeFileSync(fileCache, '3')
      const { tookMs, found, searchedBackTo } = await list(postgres.url, pair)
      times.push(tookMs)
      const where = searchedBackTo === null ? '' : `, looked back to ${searchedBackTo}`
      say(`${Object.keys(pair).join(' and ')}: ${tookMs.toFixed(0)} ms, ${found} rows${where}`)
    }
    return [
      figureOf('lists: a pair of filters, cold', 'ms', times),
      figureOf('lists: the slowest pair', 'ms', [Math.max(...times)], { atMost: 200 }),
    ]
  } finally {
    await postgres.stop()
  }
}

async function fill(url: string, say: (line: string) => void): Promise<void> {
  const client = new Client({ connectionString: url })
  await client.connect()
  for (let stored = 0; stored < entries; stored += batch) {
    say(`filling: ${stored} of ${entries} entries`)
    await fillInbox(client, schema, { from: stored, count: batch, of: entries })
  }
  await client.query(`vacuum analyze ${schema}.entry, ${schema}.entry_body`)
  await client.end()
}

async function list(url: string, filter: EntryFilter) {
  await using inbox = createInbox({ database: url, schema, migrate: false })
  await inbox.start()
  // The first statement of a connection reads the catalog, which is no part of a search.
  await inbox.entries.list({ limit: 1 })
  const startedAt = performance.now()
  const page = await inbox.entries.list(filter)
  const tookMs = performance.now() - startedAt
  return { tookMs, found: page.entries.length, searchedBackTo: page.searchedBackTo }
}

function canForgetFiles(): boolean {
  try {
    accessSync(fileCache, constants.W_OK)
    return true
  } catch {
    return false
  }
}

/**
 * The queries of the console with a million entries. Compares each list and search with a lookup of
 * as many rows by primary key, with the same columns and the same pool.
 */
import {
  createInbox,
  type EntryRow,
  type Inbox,
  type ListEntriesOptions,
} from '@feed-receiver/inbox'
import { Pool } from 'pg'
import { startWarmPostgres } from '../warm-postgres.ts'
import { figureOf, type Figure } from '../figure.ts'
import { interleave, ratios } from '../interleave.ts'

const entries = 1_000_000
const batch = 100_000
const rounds = 15
const times = 20

const hourAgo = () => new Date(Date.now() - 3_600_000).toISOString()
const monthAgo = () => new Date(Date.now() - 30 * 24 * 3_600_000).toISOString()

/**
 * Each filter of the console, alone and combined, and each search that an index or a page ends
 * soon.
 */
const lists: [string, () => ListEntriesOptions][] = [
  ['all', () => ({})],
  ['all, far behind', () => ({ after: entries / 2 })],
  ['of a provider', () => ({ provider: 'provider_7' })],
  ['of a provider, far behind', () => ({ provider: 'provider_7', after: entries / 2 })],
  ['of a rare provider', () => ({ provider: 'rare' })],
  ['of a type', () => ({ type: 'type_3' })],
  ['of a category', () => ({ category: 'category_1' })],
  ['of a subject', () => ({ subject: 'model-17' })],
  ['dead', () => ({ state: 'dead' })],
  ['received', () => ({ state: 'received' })],
  ['of the last hour', () => ({ since: hourAgo() })],
  ['from before a month', () => ({ until: monthAgo() })],
  ['dead, of a provider', () => ({ state: 'dead', provider: 'provider_7' })],
  ['of a type and a category', () => ({ type: 'type_3', category: 'category_5' })],
  ['of a type and a provider', () => ({ type: 'type_3', provider: 'provider_3' })],
  ['by an event id', () => ({ search: 'evt_471100' })],
  ['failing', () => ({ state: 'failing' })],
]

/** Words have no index, so a search reads many entries for a few matches. This limits its time. */
const mostMs = 500
const searches: typeof lists = [
  ['by words, half a million such', () => ({ search: 'rele model' })],
  ['by a word, 1,111 such', () => ({ search: '471' })],
  ['by a word in a subject', () => ({ search: 'model-49' })],
  ['by words of an old title', () => ({ search: 'release 4711' })],
  ['by a word that nothing has', () => ({ search: 'nothing-has-this' })],
  ['by a word, of a provider', () => ({ search: 'release', provider: 'provider_8' })],
  ['by a word, dead', () => ({ search: '47', state: 'dead' })],
]

export async function measure(
  say: (line: string) => void,
  parts: readonly string[],
): Promise<Figure[]> {
  const postgres = await startWarmPostgres()
  const pool = new Pool({ connectionString: postgres.url, max: 4 })
  const inbox = createInbox({ database: pool })
  try {
    await inbox.start()
    for (let stored = 0; stored < entries; stored += batch) {
      say(`filling: ${stored} of ${entries} entries`)
      await fill(pool, stored)
    }
    await pool.query('vacuum analyze feed_inbox.entry')
    const figures: Figure[] = []
    for (const [name, options] of [...lists, ...searches]) {
      if (parts.length > 0 && !parts.some((part) => name.includes(part))) continue
      const isSearch = searches.some(([search]) => search === name)
      figures.push(...(await measureList(name, options, { inbox, pool, isSearch })))
    }
    return [...figures, ...(await measureRest(inbox))]
  } finally {
    await inbox.stop()
    await pool.end()
    await postgres.stop()
  }
}

async function measureList(
  name: string,
  options: () => ListEntriesOptions,
  { inbox, pool, isSearch }: { inbox: Inbox; pool: Pool; isSearch: boolean },
): Promise<Figure[]> {
  const { entries: found } = await inbox.entries.list(options())
  const ids = found.length > 0 ? found.map(({ id }) => id) : [1_000]
  const { listing, looking } = await interleave(
    {
      listing: async (count) => {
        for (let i = 0; i < count; i += 1) await inbox.entries.list(options())
      },
      looking: async (count) => {
        for (let i = 0; i < count; i += 1) await lookUp(pool, ids)
      },
    },
    { rounds, times },
  )
  // Only both conditions together are narrow. No index has both, so it reads many entries.
  const isHard = name === 'by a word, dead'
  const label = `${name} (${found.length} rows)`
  return [
    figureOf(
      label,
      'ms',
      listing.map((nanoseconds) => nanoseconds / 1e6),
      isSearch ? { atMost: mostMs } : undefined,
    ),
    figureOf(
      `${name}: to its keys`,
      '×',
      ratios(listing, looking),
      isHard ? undefined : { atMost: 5 },
    ),
  ]
}

/** The other queries of the screens, which have no comparable lookup. */
async function measureRest(inbox: Inbox): Promise<Figure[]> {
  const asked: Record<string, () => Promise<unknown>> = {
    'overview: activity of a day': () => inbox.activity(),
    'overview: health': () => inbox.health(),
    facets: () => inbox.entries.facets(),
    secrets: () => inbox.secrets(),
    'one entry': () => inbox.entries.get('evt_471100'),
    'count of all, to 100,000': () => inbox.entries.count(),
    'count of dead': () => inbox.entries.count({ state: 'dead' }),
  }
  const figures: Figure[] = []
  for (const [name, ask] of Object.entries(asked)) {
    const { asking } = await interleave(
      {
        asking: async (count) => {
          for (let i = 0; i < count; i += 1) await ask()
        },
      },
      { rounds, times: 3 },
    )
    figures.push(
      figureOf(
        name,
        'ms',
        asking.map((nanoseconds) => nanoseconds / 1e6),
      ),
    )
  }
  return figures
}

const time = (column: string) =>
  `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

async function lookUp(pool: Pool, ids: number[]): Promise<EntryRow[]> {
  const { rows } = await pool.query<EntryRow>(
    `select id, event_id as "eventId", state, type, provider, category,
       subject_type as "subjectType", subject_key as "subjectKey", title, confirmation, notes,
       ${time('created_at')} as "createdAt", ${time('received_at')} as "receivedAt",
       ${time('handled_at')} as "handledAt", push_count as "pushCount"
     from feed_inbox.entry where id = any($1::bigint[])`,
    [ids],
  )
  return rows
}

async function fill(pool: Pool, from: number): Promise<void> {
  await pool.query(
    `with stored as (
       insert into feed_inbox.entry (source, event_id, state, sha256, signed_by, signed_at, type,
         provider, category, subject_type, subject_key, title, confirmation, created_at, received_at,
         handled_at, push_count, first_push_at, last_push_at)
       select 'feed', 'evt_' || n,
         case when n % 1000 = 0 then 'dead' when n > ${entries - 200} then 'received' else 'done' end,
         encode(sha256(n::text::bytea), 'hex'),
         case when n < 500000 then 'aaaaaaaaaaaa' else 'bbbbbbbbbbbb' end, at, 'type_' || n % 20,
         case when n % 100000 = 7 then 'rare' else 'provider_' || n % 50 end, 'category_' || n % 9,
         'model', 'model-' || n % 5000,
         case when n % 2 = 0 then 'Release ' || n || ' of a model' else 'Outage ' || md5(n::text) end,
         'confirmed', at, at, at, 1, at, at
       from generate_series($1::integer, $1::integer + ${batch - 1}) n,
         lateral (select now() - (${entries} - n) * interval '5 seconds' as at) times
       returning id, sha256
     )
     insert into feed_inbox.entry_body (entry_id, body, headers)
     select id, convert_to(rpad(sha256, 1000, sha256), 'utf8'), '{"content-type": "application/json"}'
     from stored`,
    [from],
  )
}

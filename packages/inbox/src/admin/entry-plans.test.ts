import type { Database, Queryable, Tx } from '@feed-receiver/database'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { filledKinds, useDatabase } from '../../../../test/support/databases.ts'
import { openTestQueue } from '../../../../test/support/open-test-queue.ts'
import type { EntryFilter } from '../entry/entry-filter.ts'
import { findFacets } from './find-facets.ts'
import { findJob } from './get-entry.ts'
import { findStranded } from '../handle/sweep.ts'
import { countGaps, listGaps } from './gaps.ts'
import { createInbox } from '../index.ts'
import type { InboxContext } from '../context.ts'
import { countEntries, listEntries } from './list-entries.ts'
import { listErrors } from './list-errors.ts'
import { reprocessEntries } from './reprocess-entries.ts'
import { tablesIn } from '../entry/tables.ts'

const tables = tablesIn('feed_inbox')
const table = tables.entry

describe.each(filledKinds)('200,000 entries on %s', (kind) => {
  const database = useDatabase(kind, 'inbox', { queryTimeoutMs: 60_000 })
  const plans: string[] = []
  // The real statements, with explain in front.
  const explainOn = async (db: Queryable, text: string, values?: readonly unknown[]) => {
    const { rows } = await db.query<{ 'QUERY PLAN': string }>(`explain ${text}`, values)
    plans.push(rows.map((row) => row['QUERY PLAN']).join('\n'))
    return { rows: [], rowCount: 0 }
  }
  const explain: Database['query'] = (text, values) => explainOn(database(), text, values)
  let context: InboxContext

  beforeAll(async () => {
    const inbox = createInbox({ database: database() })
    await inbox.start()
    await inbox.stop()
    const queue = await openTestQueue(database())
    const explained: Database = {
      ...database(),
      query: explain,
      // The only other statement sets a time limit.
      tx: (run) =>
        database().tx((tx) => {
          const query: Tx['query'] = async (text, values) =>
            text.startsWith('set local')
              ? { rows: [], rowCount: 0 }
              : await explainOn(tx, text, values)
          return run({ ...tx, query })
        }),
    }
    context = { database: explained, tables, source: 'feed', queue }
    await database().query(
      `with stored as (
         insert into ${table} (source, event_id, state, type, provider, category, subject_key, title,
           confirmation, created_at, received_at, pulled_at, push_expected, handled_at, revision)
         select 'feed', 'evt_' || n, case when n % 1000 = 0 then 'dead' else 'done' end,
           'type_' || n % 20, 'provider-' || n % 50, 'category-' || n % 4, 'model-' || n % 5000,
           md5(n::text), 'confirmed', now(), now() - n * interval '1 second',
           now() - n * interval '1 second',
           case when n % 5000 = 0 then true when n % 500 > 0 then false end, now(),
           case when n % 700 = 0 then 2 else 1 end
         from generate_series(1, 200000) n
         returning id
       )
       insert into ${tables.entryBody} (entry_id, body) select id, '' from stored limit 10000`,
    )
    await database().query(
      `insert into feed_inbox.job (name, data)
       select 'feed', jsonb_build_object('entryId', n) from generate_series(1, 20000) n`,
    )
    await database().query(`analyze ${table}, ${tables.entryBody}`)
    await database().query('analyze feed_inbox.job')
  }, 120_000)

  afterAll(() => context.queue.stop())

  const filters: EntryFilter[] = [
    {},
    { provider: 'provider-7' },
    { type: 'type_3' },
    { category: 'category-1' },
    { subject: 'model-17' },
    { state: 'dead' },
    { state: 'received' },
    { since: new Date(Date.now() - 3_600_000) },
    { until: new Date(Date.now() - 3_600_000) },
    { state: 'failing' },
    { error: '2f6e0c9a41d87b35', state: 'dead' },
    { minRevision: 2 },
    { minRevision: 3, type: 'type_3' },
  ]
  it.each(filters)('are listed and paged with an index, by %o', async (filter) => {
    plans.length = 0
    await listEntries(context, filter)
    await listEntries(context, { ...filter, after: 100_000 })
    expect(plans).toHaveLength(2)
    for (const plan of plans) expect(plan).not.toContain('Seq Scan')
    expect(plans[1]).toMatch(/Index Cond: .*received_at|Bitmap/)
  })

  it('are grouped by their error, and listed by it, with an index', async () => {
    plans.length = 0
    await listErrors(context)
    await listEntries(context, { error: '2f6e0c9a41d87b35' })
    expect(plans).toHaveLength(2)
    for (const plan of plans) expect(plan).not.toContain('Seq Scan')
  })

  it.each<EntryFilter>([{}, { type: 'type_3' }, { state: 'done' }, { minRevision: 2 }])(
    'are reprocessed with an index in slices, by %o',
    async (filter) => {
      plans.length = 0
      const slice = { chosen: 1_000, changed: 0, end: 100_000 }
      // As if the first slice had been full.
      const query: Database['query'] = async (text, values) => {
        if (text.includes('clock_timestamp')) return await database().query(text, values)
        await explain(text, values)
        return { rows: plans.length === 2 ? [slice as never] : [], rowCount: 0 }
      }
      await reprocessEntries({ ...context, database: { ...context.database, query } }, { filter })
      expect(plans).toHaveLength(3)
      for (const plan of plans.slice(1)) expect(plan).not.toContain('Seq Scan on entry')
      expect(plans[2]).toMatch(/Index Cond: .*received_at/)
    },
  )

  it('are searched within bounds with an index if a search takes too long', async () => {
    plans.length = 0
    const edge = { id: 100_000, receivedAt: new Date(Date.now() - 20_000_000).toISOString() }
    const query: Database['query'] = async (text, values) => {
      await explain(text, values)
      return { rows: text.includes('offset') ? [edge as never] : [], rowCount: 0 }
    }
    const tx: Database['tx'] = () => Promise.reject(Object.assign(new Error(), { code: '57014' }))
    const bounded = { ...context, database: { ...context.database, query, tx } }
    await listEntries(bounded, { type: 'type_3', provider: 'provider-1' })
    expect(plans[0]).toContain('Index Only Scan')
    for (const plan of plans) expect(plan).not.toContain('Seq Scan')
    expect(plans[1]).toMatch(/Index Cond: .*ROW\(received_at, id\) >= /)
    plans.length = 0
    await listEntries(bounded, { search: 'nothing has these' })
    expect(plans).toHaveLength(3)
    for (const plan of plans) expect(plan).not.toContain('Seq Scan')
    expect(plans[0]).toMatch(/Index Cond: .*event_id/)
    expect(plans[1]).toContain('Index Only Scan')
    expect(plans[2]).toMatch(/Index Cond: .*ROW\(received_at, id\) >= /)
  })

  it('have statistics for the estimates of searches', async () => {
    plans.length = 0
    // Every subject has this word. Without statistics it counts as rare.
    await explain(`select from ${table} where lower(subject_key) like lower('%model%')`)
    const [, rows] = /rows=(\d+)/.exec(plans[0] ?? '') ?? []
    expect(Number(rows)).toBeGreaterThan(150_000)
  })

  it('are searched for words within a time limit, and report how far', async () => {
    const inbox = createInbox({ database: database() })
    await inbox.start()
    const search = 'nothing has these'
    await inbox.entries.list({ search })
    const begin = performance.now()
    const page = await inbox.entries.list({ search })
    expect(performance.now() - begin).toBeLessThan(1_500)
    expect(page.entries).toEqual([])
    // A fast machine may search all of them in time.
    if (kind === 'pglite' || page.next !== null) {
      expect(page.next).toEqual(expect.any(Number))
      const backMs = Date.now() - Date.parse(page.searchedBackTo ?? '')
      expect(backMs / 1_000).toBeGreaterThan(19_900)
      expect(backMs / 1_000).toBeLessThan(21_000)
    }
    const byId = await inbox.entries.list({ search: ' evt_199999 ' })
    expect(byId).toMatchObject({ entries: [{ eventId: 'evt_199999' }], searchedBackTo: null })
    await inbox.stop()
  }, 30_000)

  it('list gaps with an index, however many events your rules do not push', async () => {
    plans.length = 0
    await listGaps(context)
    await listGaps(context, { kind: 'pull_only', after: 100_000 })
    await countGaps(context)
    expect(plans).toHaveLength(3)
    for (const plan of plans) expect(plan).not.toContain('Seq Scan')
    expect(plans[0]).toContain('entry_missed')
    expect(plans[1]).toContain('entry_pull_only')
    expect(plans[2]).toContain('entry_missed')
  })

  it('list filter values with indexes', async () => {
    plans.length = 0
    await findFacets(context)
    expect(plans).toHaveLength(3)
    for (const plan of plans) expect(plan).not.toContain('Seq Scan')
  })

  it('are counted with an index if the filter is narrow', async () => {
    plans.length = 0
    await countEntries(context, { state: 'dead' }, { upTo: 1_000 })
    await countEntries(context, { subject: 'model-17' }, { upTo: 1_000 })
    for (const plan of plans) expect(plan).not.toContain('Seq Scan')
  })

  it('have their job found with an index', async () => {
    plans.length = 0
    await findJob(context, 4_711)
    expect(plans[0]).not.toContain('Seq Scan')
  })

  it('are swept with their jobs by indexes, in slices', async () => {
    await database().query(
      `insert into ${table} (source, event_id, type, provider, category, title, confirmation,
         created_at, received_at)
       select 'backlog', 'evt_' || n, 'type', 'provider', 'category', 'title', 'confirmed', now(),
         now() - n * interval '1 second'
       from generate_series(100, 50000) n`,
    )
    await database().query(
      `insert into feed_inbox.job (name, data)
       select 'feed', jsonb_build_object('entryId', id) from ${table} where source = 'backlog'`,
    )
    await database().query(`analyze ${table}, ${tables.entryBody}`)
    await database().query('analyze feed_inbox.job')
    plans.length = 0
    const backlog = { ...context, source: 'backlog' }
    await findStranded(backlog, 1_000)
    await findStranded(backlog, 1_000, 210_000)
    expect(plans).toHaveLength(2)
    for (const plan of plans) {
      expect(plan).not.toMatch(/Seq Scan|Sort/)
      expect(plan).toMatch(/Index Cond: .*'entryId'/)
    }
    expect(plans[1]).toMatch(/Index Cond: .*received_at/)
  })
})

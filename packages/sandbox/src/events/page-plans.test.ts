import { describe, expect, it } from 'vitest'
import { openDatabase } from '@feed-receiver/database'
import { useSandbox } from '../../test/use-sandbox.ts'
import { pageQuery, type EventFilter, type PageStart } from './list-events.ts'

/** More than a page's worth for every filter, deep in the feed and at its end. */
describe('a page of 20,000 events', () => {
  const made = useSandbox({ historyDays: 0 })
  const confirmed = { confirmation: 'confirmed' } as const

  it.each<[string, EventFilter, PageStart]>([
    ['the newest', confirmed, { from: 'newest' }],
    ['from the beginning', confirmed, { from: 'position', after: 0 }],
    ['from deep inside', confirmed, { from: 'position', after: 15_000 }],
    ['with early signals', { confirmation: 'all' }, { from: 'position', after: 15_000 }],
    ['of a provider', { ...confirmed, provider: 'p7' }, { from: 'position', after: 15_000 }],
    ['of a type', { ...confirmed, type: 't7' }, { from: 'position', after: 15_000 }],
    ['of outages', { ...confirmed, type: 'outage' }, { from: 'position', after: 15_000 }],
    ['of models', { ...confirmed, types: ['t7'], model: 'm7' }, { from: 'position', after: 9_000 }],
    ['after a time', confirmed, { from: 'time', after: '2026-01-01T03:00:00Z' }],
    ['further after a time', confirmed, { from: 'within', until: 19_000, after: 15_000 }],
    ['of nobody', { ...confirmed, provider: 'nobody' }, { from: 'newest' }],
  ])('reads few more rows than it returns: %s', async (_, filter, start) => {
    await using database = openDatabase(made().options.database)
    await database.query(fillSql)
    await database.query(logSql)
    await database.query('analyze sandbox.event')
    await database.query('analyze sandbox.feed_log')
    const { text, values } = pageQuery(filter, start, 50)
    const explained = await database.query<Record<string, [{ Plan: Plan }]>>(
      `explain (analyze, format json) ${text}`,
      values,
    )
    const [{ Plan: plan }] = explained.rows[0]?.['QUERY PLAN'] ?? [{ Plan: { 'Node Type': '' } }]
    const nodes = flatten(plan)
    expect(nodes.length).toBeGreaterThan(2)
    expect(nodes.map((node) => node['Node Type'])).not.toContain('Seq Scan')
    // For a common filter the planner may prefer to go along the feed and leave out the others.
    const scanned = nodes.map((node) => node['Rows Removed by Filter'] ?? 0)
    expect(Math.max(...scanned)).toBeLessThan(1500)
  })
})

interface Plan {
  'Node Type': string
  'Rows Removed by Filter'?: number
  Plans?: Plan[]
}

function flatten(plan: Plan): Plan[] {
  return [plan, ...(plan.Plans ?? []).flatMap(flatten)]
}

const fillSql = `
  insert into sandbox.event (id, position, provider, type, is_confirmed, first_observed_at, body,
    model)
  select 'e' || place, place, 'p' || place % 20,
    case when place % 40 = 0 then 'outage_started' else 't' || place % 19 end,
    place % 10 > 0, '2026-01-01Z'::timestamptz + place * interval '1 second', repeat('x', 1000),
    case when place % 19 = 7 then '"m' || place % 500 || '"' end
  from generate_series(1, 20000) place
  on conflict do nothing`

const logSql = `
  insert into sandbox.feed_log (position, event_id, change)
  select position, id, 'observed' from sandbox.event
  on conflict do nothing`

import type { Queryable } from '@feed-receiver/database'

export interface EventFilter {
  provider?: string | undefined
  type?: string | undefined
  /** Any of these types. */
  types?: readonly string[] | undefined
  /** About this model, by its id alone or behind its provider's slug. */
  model?: string | undefined
  /** Only facts about the life of a model, without those that were retracted. @default false */
  isModelFact?: boolean | undefined
  confirmation: 'confirmed' | 'all'
}

/** Where a page begins, and which way it goes. */
export type PageStart =
  | { from: 'newest' }
  | { from: 'position'; after: number }
  | { from: 'time'; after: string }

export interface EventPage {
  /** The events as JSON, with commas between them. */
  data: string
  count: number
  /** Whether there are more in the direction of the page. */
  hasMore: boolean
  /** Of the last event of the page; 0 where it is empty. */
  lastPosition: number
  /** The end of the whole feed as it was for this page, whatever the filter. */
  tail: number
}

/** Reads one page, and the end of the feed. */
export async function listEvents(
  db: Queryable,
  filter: EventFilter,
  start: PageStart,
  limit: number,
): Promise<EventPage> {
  const query = pageQuery(filter, start, limit)
  const { rows } = await db.query<PageRow>(query.text, query.values)
  if (rows.length > 0) return toPage(rows, limit)
  // No row says where the feed ends. A statement for that alone would be of a later moment, and an
  // event that comes between the two would never be given.
  const { rows: again } = await db.query<PageRow | NoRow>(query.textWithEnd, query.values)
  const found = again.filter((row) => row.position !== null)
  return { ...toPage(found, limit), tail: again[0]?.tail ?? 0 }
}

function toPage(rows: readonly PageRow[], limit: number): EventPage {
  const page = rows.slice(0, limit)
  return {
    data: page.map(({ body }) => body).join(','),
    count: page.length,
    hasMore: rows.length > limit,
    lastPosition: page.at(-1)?.position ?? 0,
    tail: rows[0]?.tail ?? 0,
  }
}

/** One statement each, and so of one moment: `textWithEnd` has a row also where the page is empty. */
export function pageQuery(
  filter: EventFilter,
  start: PageStart,
  limit: number,
): { text: string; textWithEnd: string; values: unknown[] } {
  const values: unknown[] = [limit]
  const value = (given: unknown) => `$${values.push(given)}`
  const conditions = [
    ...conditionsOf(filter, value),
    start.from === 'position' && `position > ${value(start.after)}`,
    start.from === 'time' && `first_observed_at > ${value(start.after)}`,
  ].filter((condition) => condition !== false)
  const page = `from sandbox.event
    ${conditions.length > 0 ? `where ${conditions.join(' and ')}` : ''}
    order by position ${start.from === 'newest' ? 'desc' : 'asc'}
    limit $1::int + 1`
  return {
    text: `select (select max(position) from sandbox.event) as tail, position, body ${page}`,
    textWithEnd: `select tail, position, body
      from (select max(position) as tail from sandbox.event) ended
      left join (select position, body ${page}) page on true
      order by position ${start.from === 'newest' ? 'desc' : 'asc'}`,
    values,
  }
}

/** What a filter asks of `sandbox.event`, as SQL; `value` takes a parameter and gives its place. */
export function conditionsOf(
  { provider, type, types, model, isModelFact, confirmation }: EventFilter,
  value: (given: unknown) => string,
): (string | false)[] {
  return [
    confirmation === 'confirmed' && 'is_confirmed',
    provider !== undefined && `provider = ${value(provider)}`,
    type === 'outage' ? 'is_outage' : type !== undefined && `type = ${value(type)}`,
    types !== undefined && `type = any(${value(types)}::text[])`,
    model !== undefined && isAbout(model, value),
    isModelFact === true && 'model is not null',
  ]
}

// As JSON spells them: PostgreSQL's text could not hold every character of a key.
function isAbout(model: string, value: (given: unknown) => string): string {
  const whole = `model = ${value(JSON.stringify(model))}`
  const [provider = '', ...rest] = model.split('/')
  if (rest.length === 0) return whole
  const id = JSON.stringify(rest.join('/'))
  return `(${whole} or (provider = ${value(provider)} and model = ${value(id)}))`
}

interface PageRow {
  tail: number
  position: number
  body: string
}

interface NoRow {
  tail: number | null
  position: null
  body: null
}

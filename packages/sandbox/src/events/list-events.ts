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
  const { text, values } = pageQuery(filter, start, limit)
  const { rows } = await db.query<PageRow>(text, values)
  const [row] = rows
  return {
    data: row?.data ?? '',
    count: Math.min(row?.found ?? 0, limit),
    hasMore: (row?.found ?? 0) > limit,
    lastPosition: row?.last_position ?? 0,
    tail: row?.tail ?? 0,
  }
}

/**
 * One statement, and so of one moment. The events are joined where they are: fifty small texts are
 * dearer to carry over than a long one.
 */
export function pageQuery(
  filter: EventFilter,
  start: PageStart,
  limit: number,
): { text: string; values: unknown[] } {
  const values: unknown[] = [limit]
  const value = (given: unknown) => `$${values.push(given)}`
  const conditions = [
    ...conditionsOf(filter, value),
    start.from === 'position' && `position > ${value(start.after)}`,
    start.from === 'time' && `first_observed_at > ${value(start.after)}`,
  ].filter((condition) => condition !== false)
  const order = start.from === 'newest' ? 'desc' : 'asc'
  const text = `
    select (select max(position) from sandbox.event) as tail,
      count(*) as found,
      ${order === 'asc' ? 'max' : 'min'}(position) filter (where place <= $1::int) as last_position,
      string_agg(body, ',' order by place) filter (where place <= $1::int) as data
    from (
      select position, body, row_number() over (order by position ${order}) as place
      from sandbox.event
      ${conditions.length > 0 ? `where ${conditions.join(' and ')}` : ''}
      order by position ${order}
      limit $1::int + 1
    ) page`
  return { text, values }
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
  tail: number | null
  found: number
  last_position: number | null
  data: string | null
}

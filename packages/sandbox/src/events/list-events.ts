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

/** Reads one page, and the end of the feed as it was at the same moment. */
export async function listEvents(
  db: Queryable,
  filter: EventFilter,
  start: PageStart,
  limit: number,
): Promise<EventPage> {
  const { text, values } = pageQuery(filter, start, limit)
  const { rows } = await db.query<PageRow>(text, values, { isRepeated: true })
  const [{ data, count, hasMore, lastPosition, tail } = empty] = rows
  return { data: data ?? '', count, hasMore, lastPosition: lastPosition ?? 0, tail: tail ?? 0 }
}

/**
 * One row for the whole page, which Node reads sooner than a row for each event; and one statement,
 * since what comes between one for the page and one for the end would never be given.
 */
export function pageQuery(
  filter: EventFilter,
  start: PageStart,
  limit: number,
): { text: string; values: unknown[] } {
  const values: unknown[] = [limit]
  const value = (given: unknown) => `$${values.push(given)}`
  const conditions = conditionsOf(filter, value).filter((condition) => condition !== false)
  const where = (...more: string[]) => ['true', ...conditions, ...more].join(' and ')
  const begin =
    start.from === 'newest'
      ? []
      : [`${start.from === 'position' ? 'position' : 'first_observed_at'} > ${value(start.after)}`]
  // Newest first, the last one is the oldest of the page. An aggregate takes the rows of a sorted
  // subquery in their order; to have it sort them would cost a tenth of the statement.
  const [order, last, beyond] = start.from === 'newest' ? ['desc', 'min', '<'] : ['asc', 'max', '>']
  const text = `
    select page.*, ended.tail, exists (
        select from sandbox.event
        where ${where(...begin, `position ${beyond} page."lastPosition"`)}
      ) as "hasMore"
    from (
      select string_agg(body, ',') as data, count(*) as count,
        ${last}(position) as "lastPosition"
      from (
        select position, body from sandbox.event where ${where(...begin)}
        order by position ${order} limit $1::int
      ) next
    ) page
    cross join (select max(position) as tail from sandbox.event) ended`
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
  count: number
  hasMore: boolean
  data: string | null
  lastPosition: number | null
}

const empty: PageRow = { tail: null, count: 0, hasMore: false, data: null, lastPosition: null }

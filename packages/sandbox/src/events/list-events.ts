import type { Queryable } from '@feed-receiver/database'

export interface EventFilter {
  provider?: string | undefined
  type?: string | undefined
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
  /** In order of observation, which is not the order of positions: what is changed takes a new one. */
  | { from: 'time'; after: string }
  /** Goes on with pages by time: behind this position, with those up to another. */
  | { from: 'within'; until: number; after: number }

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
  const { begin, order, last, beyond } = wayOf(start, value)
  // An aggregate takes the rows of a sorted subquery in their order; to have it sort them would cost a
  // tenth of the statement.
  const text = `
    select page.*, ended.tail, (
        select true from sandbox.event
        where ${where(...begin, beyond)}
        order by ${order} limit 1
      ) is true as "hasMore"
    from (
      select string_agg(body, ',') as data, count(*) as count,
        ${last} as "lastPosition"
      from (
        select position, body from sandbox.event where ${where(...begin)}
        order by ${order} limit $1::int
      ) next
    ) page
    cross join (select max(position) as tail from sandbox.event) ended`
  return { text, values }
}

interface Way {
  begin: string[]
  order: string
  /** The position of the last one of a page. */
  last: string
  beyond: string
}

function wayOf(start: PageStart, value: (given: unknown) => string): Way {
  if (start.from === 'newest') {
    const beyond = 'position < page."lastPosition"'
    return { begin: [], order: 'position desc', last: 'min(position)', beyond }
  }
  if (start.from === 'position') {
    const begin = [`position > ${value(start.after)}`]
    const beyond = 'position > page."lastPosition"'
    return { begin, order: 'position', last: 'max(position)', beyond }
  }
  const later = (place: string) => `(first_observed_at, position) > (${place})`
  // By the log, since the event may have another position by now.
  const place = (position: string) => `
    select last.first_observed_at, log.position from sandbox.feed_log log
    join sandbox.event last on last.id = log.event_id
    where log.position = ${position}`
  return {
    begin:
      start.from === 'time'
        ? [`first_observed_at > ${value(start.after)}`]
        : [`position <= ${value(start.until)}`, later(place(value(start.after)))],
    order: 'first_observed_at, position',
    last: '(array_agg(position))[count(*)::int]',
    beyond: later(place('page."lastPosition"')),
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
  tail: number | null
  count: number
  hasMore: boolean
  data: string | null
  lastPosition: number | null
}

const empty: PageRow = { tail: null, count: 0, hasMore: false, data: null, lastPosition: null }

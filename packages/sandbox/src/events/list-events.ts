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

/** Reads one page, and the end of the feed as it was at the same moment. */
export async function listEvents(
  db: Queryable,
  filter: EventFilter,
  start: PageStart,
  limit: number,
): Promise<EventPage> {
  const { text, values } = pageQuery(filter, start, limit)
  const { rows } = await db.query<EventPage>(text, values, { isRepeated: true })
  const [page = { data: '', hasMore: false, lastPosition: 0, tail: 0 }] = rows
  return page.hasMore ? { ...page, data: withoutLast(page.data) } : page
}

/** JSON has no line break within a text, so that this stands between two events and nowhere else. */
const separator = ',\n'

function withoutLast(events: string): string {
  return events.slice(0, events.lastIndexOf(separator))
}

export interface EventPage {
  /** The events as JSON, with commas and line breaks between them. */
  data: string
  /** Whether there are more in the direction of the page. */
  hasMore: boolean
  /** Of the last event of the page; 0 where it is empty. */
  lastPosition: number
  /** The end of the whole feed as it was for this page, whatever the filter. */
  tail: number
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
  const { begin, order } = wayOf(start, value)
  const conditions = ['true', ...conditionsOf(filter, value), ...begin]
  // An aggregate takes the rows of a sorted subquery in their order; to have it sort them would cost a
  // tenth of the statement. The row beyond the page says that there are more, and is cut off later:
  // a statement that leaves it out takes a tenth longer.
  const text = `
    select coalesce(string_agg(body, '${separator}'), '') as data,
      count(*) > $1::int as "hasMore",
      coalesce((array_agg(position))[least($1::int, count(*))], 0) as "lastPosition",
      (select coalesce(max(position), 0) from sandbox.event) as tail
    from (
      select position, body from sandbox.event where ${conditions.join(' and ')}
      order by ${order} limit $1::int + 1
    ) next`
  return { text, values }
}

function wayOf(
  start: PageStart,
  value: (given: unknown) => string,
): { begin: string[]; order: string } {
  if (start.from === 'newest') return { begin: [], order: 'position desc' }
  if (start.from === 'position') {
    return { begin: [`position > ${value(start.after)}`], order: 'position' }
  }
  const order = 'first_observed_at, position'
  if (start.from === 'time') return { begin: [`first_observed_at > ${value(start.after)}`], order }
  // By the log, since the event may have another position by now.
  const place = `
    select last.first_observed_at, log.position from sandbox.feed_log log
    join sandbox.event last on last.id = log.event_id
    where log.position = ${value(start.after)}`
  return { begin: [`position <= ${value(start.until)}`, `(${order}) > (${place})`], order }
}

/** What a filter asks of `sandbox.event`, as SQL; `value` takes a parameter and gives its place. */
export function conditionsOf(
  { provider, type, types, model, isModelFact, confirmation }: EventFilter,
  value: (given: unknown) => string,
): string[] {
  return [
    confirmation === 'confirmed' && 'is_confirmed',
    provider !== undefined && `provider = ${value(provider)}`,
    type === 'outage' ? 'is_outage' : type !== undefined && `type = ${value(type)}`,
    types !== undefined && `type = any(${value(types)}::text[])`,
    model !== undefined && isAbout(model, value),
    isModelFact === true && 'model is not null',
  ].filter((condition) => condition !== false)
}

// As JSON spells them: PostgreSQL's text could not hold every character of a key.
function isAbout(model: string, value: (given: unknown) => string): string {
  const whole = `model = ${value(JSON.stringify(model))}`
  const [provider = '', ...rest] = model.split('/')
  if (rest.length === 0) return whole
  const id = JSON.stringify(rest.join('/'))
  return `(${whole} or (provider = ${value(provider)} and model = ${value(id)}))`
}

import type { Queryable } from '@feed-receiver/database'

export interface EventFilter {
  provider?: string | undefined
  type?: string | undefined
  types?: readonly string[] | undefined
  /** The model's id, alone or as provider/model. */
  model?: string | undefined
  /** Whether to list only facts about a model's lifecycle that are not retracted. @default false */
  isModelFact?: boolean | undefined
  confirmation: 'confirmed' | 'all'
}

/** The start and the direction of a page. */
export type PageStart =
  | { from: 'newest' }
  | { from: 'position'; after: number }
  /**
   * In order of observation, which differs from the order of positions: a changed event moves to a
   * new position.
   */
  | { from: 'time'; after: string }
  /** Continues pages by time: after the event at `after`, among events up to position `until`. */
  | { from: 'within'; until: number; after: number }

/** Reads one page, and the end of the feed at the same moment. */
export async function selectPage(
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

/** JSON has no line break within a text, so this occurs only between two events. */
const separator = ',\n'

function withoutLast(events: string): string {
  return events.slice(0, events.lastIndexOf(separator))
}

export interface EventPage {
  /** The events as JSON, with commas and line breaks between them. */
  data: string
  /** Whether there are more events in the direction of the page. */
  hasMore: boolean
  /** The position of the last event on the page; 0 for an empty page. */
  lastPosition: number
  /** The end of the whole feed at the moment of this page, regardless of the filter. */
  tail: number
}

/**
 * Returns the whole page as one row, which Node reads faster than a row for each event. One
 * statement reads the page and the end together, because an event published between two statements
 * would be skipped.
 */
export function pageQuery(filter: EventFilter, start: PageStart, limit: number) {
  const values: unknown[] = [limit]
  const value = (given: unknown) => `$${values.push(given)}`
  const { begin, order } = orderOf(start, value)
  const conditions = ['true', ...conditionsOf(filter, value), ...begin]
  // An aggregate takes the rows of a sorted subquery in their order; sorting within the aggregate
  // costs a tenth of the statement. The row beyond the page shows that there are more, and is cut
  // off later: a statement that omits it takes a tenth longer.
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

function orderOf(start: PageStart, value: (given: unknown) => string) {
  if (start.from === 'newest') return { begin: [], order: 'position desc' }
  if (start.from === 'position') {
    return { begin: [`position > ${value(start.after)}`], order: 'position' }
  }
  const order = 'first_observed_at, position'
  if (start.from === 'time') return { begin: [`first_observed_at > ${value(start.after)}`], order }
  // From the log, because the event may have moved to another position since.
  const last = `
    select last.first_observed_at, log.position from sandbox.feed_log log
    join sandbox.event last on last.id = log.event_id
    where log.position = ${value(start.after)}`
  return { begin: [`position <= ${value(start.until)}`, `(${order}) > (${last})`], order }
}

/**
 * The conditions of a filter on `sandbox.event`, as SQL. `value` adds a parameter and returns its
 * placeholder.
 */
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

// As JSON text, because PostgreSQL's text cannot store every character of a key.
function isAbout(model: string, value: (given: unknown) => string): string {
  const whole = `model = ${value(JSON.stringify(model))}`
  const [provider = '', ...rest] = model.split('/')
  if (rest.length === 0) return whole
  const id = JSON.stringify(rest.join('/'))
  return `(${whole} or (provider = ${value(provider)} and model = ${value(id)}))`
}

import type { Queryable } from '@feed-receiver/database'

export interface EventFilter {
  provider?: string | undefined
  type?: string | undefined
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
  { provider, type, confirmation }: EventFilter,
  start: PageStart,
  limit: number,
): { text: string; values: unknown[] } {
  const values: unknown[] = [limit]
  const value = (given: unknown) => `$${values.push(given)}`
  const conditions = [
    confirmation === 'confirmed' && 'is_confirmed',
    provider !== undefined && `provider = ${value(provider)}`,
    type === 'outage' ? 'is_outage' : type !== undefined && `type = ${value(type)}`,
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

interface PageRow {
  tail: number | null
  found: number
  last_position: number | null
  data: string | null
}

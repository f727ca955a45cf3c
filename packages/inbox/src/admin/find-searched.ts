import type { FoundFilter } from '../entry/entry-filter.ts'
import type { InboxContext } from '../context.ts'

/**
 * Checks first whether a search is the id of an event, in the index of ids. For a list, newest
 * first, PostgreSQL would read every newer entry before it.
 */
export async function findSearched(
  { database, tables, source }: Pick<InboxContext, 'database' | 'tables' | 'source'>,
  filter: FoundFilter,
): Promise<FoundFilter> {
  const eventId = filter.search?.trim()
  if (!eventId || filter.eventId !== undefined) return filter
  const { rowCount } = await database.query(
    `select from ${tables.entry} where source = $1 and event_id = $2`,
    [source, eventId],
  )
  return rowCount === 0 ? filter : { ...filter, eventId }
}

import type { Queryable } from '@feed-receiver/database'
import type { Conditions } from '../entry/entry-filter.ts'
import { isBehindSql, isoTime, newestFirstSql } from '../entry/sql.ts'
import { hasTimedOut } from '../errors.ts'
import type { InboxContext } from '../context.ts'

/** How many entries a search reads if it cannot read all of them. */
const mostSearched = 20_000

/** The last entry that a bounded search reads. */
export interface Edge {
  id: number
  /** ISO 8601 in UTC, to the microsecond. */
  receivedAt: string
}

/** The result of a search, and its last entry if it did not search everything. */
interface Found<T> {
  found: T
  edge?: Edge
}

/**
 * Searches all entries or, if that takes too long, only the next ones from the beginning of the
 * page. Two conditions that are rarely true together have no index, so PostgreSQL would read every
 * entry that meets one of them. Words have no index either: the next entries are searched first,
 * and all others only if those are not enough.
 */
export async function searchBounded<T>(
  context: InboxContext,
  conditions: Conditions,
  { timeoutMs, after = null, isEnough }: BoundedSearchOptions<T>,
  search: (db: Queryable, conditions: Conditions) => Promise<T>,
): Promise<Found<T>> {
  const { database } = context
  const searchAll = async () => ({ found: await search(database, conditions) })
  if (!conditions.isScan) return await searchAll()
  if (!conditions.hasWords) {
    const all = await searchInTime()
    if (all) return all
  }
  const edge = await findEdge(context, after)
  if (!edge) return await searchAll()
  const near = { found: await search(database, upTo(conditions, edge)), edge }
  if (!conditions.hasWords || isEnough(near.found)) return near
  // The embedded database cannot time out a statement.
  return database.kind === 'pglite' ? near : ((await searchInTime()) ?? near)

  async function searchInTime(): Promise<Found<T> | undefined> {
    try {
      return await database.tx(async (tx) => {
        await tx.query(`set local statement_timeout = ${timeoutMs}`)
        return { found: await search(tx, conditions) }
      })
    } catch (error) {
      if (!hasTimedOut(error)) throw error
      return undefined
    }
  }
}

interface BoundedSearchOptions<T> {
  timeoutMs: number
  /** The entry that the search begins after. */
  after?: number | null
  /** Whether the matches among the next entries are enough. */
  isEnough: (found: T) => boolean
}

async function findEdge(context: InboxContext, after: number | null): Promise<Edge | undefined> {
  const { database, tables, source } = context
  const { rows } = await database.query<Edge>(
    `select id, ${isoTime('received_at', 'US')} as "receivedAt"
     from ${tables.entry}
     where source = $1 and ${isBehindSql(tables.entry, 'received_at', '<', '$2')}
     ${newestFirstSql} offset ${mostSearched - 1} limit 1`,
    [source, after],
  )
  return rows[0]
}

// As a value and not as a subquery, so that the planner can estimate how few entries there are.
function upTo({ parts, values, ...others }: Conditions, { id, receivedAt }: Edge): Conditions {
  const [time, key] = [`$${values.length + 1}::timestamptz`, `$${values.length + 2}::bigint`]
  return {
    parts: parts.map((part) => `${part} and (received_at, id) >= (${time}, ${key})`),
    values: [...values, receivedAt, id],
    ...others,
  }
}

import { checkPageSize, type ByTime, type PageOptions } from '../entry/page.ts'
import { isoTime } from '../entry/sql.ts'
import type { Tables } from '../entry/tables.ts'
import type { InboxContext } from '../context.ts'
import { askAll, askNumbered, askSome, type Shards } from './ask-shards.ts'
import { fromSharedId, shareId, toSharedId } from './shard-ids.ts'

/** A list of rows in every shard, and the column of times that orders it. */
interface Listing<Row> {
  table: keyof Tables
  time: string
  /** Whether a shard that does not answer is left out. */
  isPartial?: boolean
  /** One page of one shard, newest first by that time. */
  read(context: InboxContext, page: PageOptions, byTime: ByTime): Promise<ReadRows<Row>>
}

interface ReadRows<Row> {
  rows: Row[]
  next: number | null
  /** How far back a search looked, if it ended early. `next` is then the row there. */
  lookedBackTo?: string | null
}

/** A row with its position in the list of all shards: newest first, then by shard. */
interface Placed<Row> {
  row: Row
  at: string
  shard: number
}

/**
 * Reads one page of the rows of all shards, newest first. Each shard continues from the last row of
 * the previous page: the shard of that row after it, the others after its time.
 */
export async function mergePages<AppTx, Row extends { id: number }>(
  shards: Shards<AppTx>,
  { after, limit = 50 }: PageOptions,
  listing: Listing<Row>,
): Promise<ReadRows<Row>> {
  checkPageSize(limit)
  const cursor = after === undefined ? undefined : await findCursor(shards, after, listing)
  if (cursor === 'gone') return { rows: [], next: null }

  const ask = listing.isPartial ? askSome : askAll
  const pages = await ask(shards, async ({ index, context: whenOpen }) => {
    const context = await whenOpen()
    const begin = beginOf(cursor, index)
    const { rows, next, lookedBackTo } = await listing.read(
      context,
      { limit, after: begin.after },
      begin,
    )
    const times = await timesOf(context, listing, rows)
    const placed = rows.map((row) => ({ row, at: times.get(row.id) ?? '', shard: index }))
    const hasEdge = lookedBackTo && next !== null
    const edge = hasEdge ? [{ row: { id: next }, at: lookedBackTo, shard: index }] : []
    return { placed, isMore: next !== null, edge }
  })

  // If a search ended early, its shard may have more rows before the older ones of other shards.
  const [edge] = pages.flatMap((page) => page.edge).toSorted(inOrder)
  const found = pages
    .flatMap(({ placed }) => placed)
    .filter((one) => !edge || inOrder(one, edge) <= 0)
    .toSorted(inOrder)
  const shown = found.slice(0, limit)
  const last = shown.at(-1)
  const rows = shown.map(({ row, shard }) => shareId(row, shard))
  if (edge && shown.length < limit) {
    return { rows, next: toSharedId(edge.row.id, edge.shard), lookedBackTo: edge.at }
  }
  const isMore = found.length > limit || pages.some((page) => page.isMore)
  return {
    rows,
    next: last && isMore ? toSharedId(last.row.id, last.shard) : null,
    lookedBackTo: null,
  }
}

interface Cursor {
  id: number
  shard: number
  at: string
}

/** Finds the position of the row that ended a page; `gone` if it was deleted. */
async function findCursor<AppTx, Row>(
  shards: Shards<AppTx>,
  after: number,
  listing: Listing<Row>,
): Promise<Cursor | 'gone'> {
  const { id, shard } = fromSharedId(after)
  const times = await askNumbered(shards, shard, async ({ context }) =>
    timesOf(await context(), listing, [{ id }]),
  )
  const at = times?.get(id)
  return at === undefined ? 'gone' : { id, shard, at }
}

function beginOf(cursor: Cursor | undefined, index: number): ByTime & { after?: number } {
  if (!cursor) return {}
  if (cursor.shard === index) return { after: cursor.id }
  // Of rows with the same time, those of earlier shards were shown, and those of later ones not.
  return { behind: { at: cursor.at, isIncluded: index > cursor.shard } }
}

function inOrder(one: Placed<unknown>, other: Placed<unknown>): number {
  if (one.at !== other.at) return one.at > other.at ? -1 : 1
  return one.shard - other.shard
}

/** The times of rows by their ids, to the microsecond. */
async function timesOf<Row>(
  { database, tables }: InboxContext,
  { table, time }: Listing<Row>,
  rows: readonly { id: number }[],
): Promise<Map<number, string>> {
  if (rows.length === 0) return new Map()
  const found = await database.query<{ id: number; at: string }>(
    `select id, ${isoTime(time, 'US')} as at from ${tables[table]} where id = any($1::bigint[])`,
    [rows.map(({ id }) => id)],
  )
  return new Map(found.rows.map(({ id, at }) => [id, at]))
}

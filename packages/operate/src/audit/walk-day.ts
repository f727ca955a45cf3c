import { createHash } from 'node:crypto'
import { hasTimedOut, isoTime } from '@feed-receiver/inbox/internal'
import type { InboxStore } from '@feed-receiver/inbox/extend'
import { dayAfter } from './day.ts'

export interface DayRange {
  day: string
  /** The `uptoId` of the day before; 0 for the first day, null for a day behind an open one. */
  afterId: number | null
  /** The latest entry at the time of sealing; null while the day is not sealed. */
  uptoId: number | null
}

interface Slice {
  count: number
  leaves: Uint8Array | null
  lastAt: string
  lastId: number
}

export interface WalkedDay<Extra = unknown> {
  count: number
  /** The hash over the hashes of the entries, in hex. */
  digest: string
  /** Entries whose time lies in an earlier day, which was sealed before they were stored. */
  late: number
  /** The additional aggregates of each slice. */
  slices: Extra[]
}

/**
 * The most and the fewest entries per statement. On a cold disk, more may time out: in a transaction,
 * because only there the server ends a statement before this process gives the connection up.
 */
const largest = 10_000
const smallest = 100
const lastBigint = '9223372036854775807'

/**
 * Reads the entries of a day in the order `received_at`, `id`, slice by slice, and hashes them.
 * `columns` are more aggregates over the entries of a slice.
 */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- as a query has it
export async function walkDay<Extra extends object>(
  context: InboxStore,
  range: DayRange,
  columns = '',
): Promise<WalkedDay<Extra>> {
  const slices: Extra[] = []
  const digest = createHash('sha256')
  const { afterId, uptoId } = range
  const mayBeLate = afterId !== null && (uptoId === null || afterId < uptoId)
  const late = mayBeLate ? await walk(lateSql(afterId)) : 0
  const inTime = await walk(inDaySql)
  return { count: late + inTime, digest: digest.digest('hex'), late, slices }

  async function walk(condition: string): Promise<number> {
    let count = 0
    let size = largest
    for (let behind = { lastAt: '-infinity', lastId: 0 }; ;) {
      const slice = await read(condition, behind, size).catch((error: unknown) => {
        if (!hasTimedOut(error) || size <= smallest) throw error
        return null
      })
      if (!slice) {
        size = Math.max(Math.floor(size / 4), smallest)
        continue
      }
      if (slice.count === 0 || !slice.leaves) return count
      digest.update(slice.leaves)
      // Up to 320 kB, of which a month may have thousands.
      slice.leaves = null
      slices.push(slice)
      count += slice.count
      if (slice.count < size) return count
      behind = slice
    }
  }

  async function read(
    condition: string,
    { lastAt, lastId }: Pick<Slice, 'lastAt' | 'lastId'>,
    size: number,
  ): Promise<(Slice & Extra) | undefined> {
    const { day } = range
    const values = [
      context.source,
      `${day}T00:00:00Z`,
      `${dayAfter(day)}T00:00:00Z`,
      afterId ?? lastBigint,
      uptoId ?? lastBigint,
      lastAt,
      lastId,
    ]
    const text = sliceSql(context, condition, columns, size)
    const { rows } = await context.database.tx((tx) => tx.query<Slice & Extra>(text, values))
    return rows[0]
  }
}

// Without statistics, PostgreSQL would read all ids up to the last; "+ 0" prevents that.
const inDaySql = `received_at >= $2::timestamptz and received_at < $3::timestamptz
  and id + 0 <= $5::bigint`

/** Nothing precedes the first day, so its early entries are found by their time alone. */
function lateSql(afterId: number): string {
  return afterId === 0
    ? 'received_at < $2::timestamptz and id + 0 <= $5::bigint'
    : 'id > $4::bigint and id <= $5::bigint and received_at < $2::timestamptz'
}

// All statements have all parameters, so the types of unused ones are named, too.
function sliceSql(
  { tables }: InboxStore,
  condition: string,
  columns: string,
  size: number,
): string {
  return `with slice as materialized (
      select * from ${tables.entry}
      where source = $1 and ${condition}
        and (received_at, id) > ($6::timestamptz, $7::bigint)
        and $3::timestamptz is not null and $4::bigint is not null
      order by received_at, id limit ${size}
    )
    select count(*) as count, string_agg(${leafSql}, ''::bytea order by received_at, id) as leaves,
      ${isoTime('max(received_at)', 'US')} as "lastAt",
      (array_agg(id order by received_at desc, id desc))[1] as "lastId"
      ${columns}
    from slice`
}

/**
 * SQL for the hash of one entry: over the members that never change after it was stored. The bytes
 * of an event that pull brought first are left out, because a later push adds them.
 */
const leafSql = `sha256(${[
  'source',
  'event_id',
  `coalesce(case when first_push_at = received_at then sha256 end, '')`,
  isoTime('received_at', 'US'),
]
  .map(prefixed)
  .join(' || ')})`

/** SQL for a text in UTF-8 behind its length, so that no two lists of texts give the same bytes. */
function prefixed(text: string): string {
  return `int4send(octet_length(convert_to(${text}, 'UTF8'))) || convert_to(${text}, 'UTF8')`
}

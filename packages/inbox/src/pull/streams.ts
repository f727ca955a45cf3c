import type { Queryable } from '@feed-receiver/database'
import { isoTime } from '../entry/sql.ts'
import { InboxError } from '../errors.ts'
import type { InboxContext } from '../context.ts'

export type StreamPhase = 'first_run' | 'catching_up' | 'tailing' | 'waiting' | 'suspended'

/** How far one stream of the pull API has been read. Times are ISO 8601 in UTC. */
export interface StreamRow {
  stream: string
  /** Opaque; null before the first page. */
  cursor: string | null
  phase: StreamPhase
  /** Why it waits or is suspended. */
  code: string | null
  /**
   * When the wait ends, or the next poll is due. Also null for a suspension, which only a probe or a
   * person ends.
   */
  waitUntil: string | null
  startedAt: string
  /** When the latest page arrived; null before the first. */
  polledAt: string | null
  rereadAt: string | null
  /** The account's monthly usage at that time. */
  usage: StreamUsage | null
}

/** The requests of the account in one month, across all its keys. */
export interface StreamUsage {
  requests: number
  limit: number
  /** The month, as `YYYY-MM`. */
  period: string
  resetsAt: string
}

export interface TakeOptions {
  /** Identifies the holder of the lease: the process, or a part of it. */
  holder: string
  /** The duration of the lease in milliseconds, by the database's clock. */
  leaseMs: number
  /**
   * The beginning of a new stream.
   * @default new Date()
   */
  at?: Date | undefined
}

export interface TakenStream extends StreamRow {
  /**
   * The entry of the latest test delivery. A newer one means that the destination is active again.
   */
  latestTestId: number | null
}

export interface StreamNote {
  phase: Extract<StreamPhase, 'waiting' | 'suspended'>
  code: string
  /** No request is made before this time; null for a stream that waits for a person. */
  waitUntil: Date | null
}

/** The columns of a stream, named like the members of its row. */
export const streamColumns = `
  stream, cursor, phase, code, ${isoTime('wait_until')} as "waitUntil",
  ${isoTime('started_at')} as "startedAt", ${isoTime('polled_at')} as "polledAt",
  ${isoTime('reread_at')} as "rereadAt", usage`

/**
 * The last holder of a stream that the poller of another shard reads. Most pages have no event of
 * this shard, so its time says nothing about the poller.
 */
export const otherShard = 'another shard'

export async function listStreams(context: InboxContext): Promise<StreamRow[]> {
  const { database, tables, source } = context
  const text = `select ${streamColumns} from ${tables.stream} where source = $1 order by stream`
  return (await database.query<StreamRow>(text, [source])).rows
}

// A lease that ends later is from before the clock of the database was set back.
const longestLeaseMs = 3_600_000

export async function takeStream(
  { database, tables, source }: InboxContext,
  stream: string,
  options: TakeOptions,
): Promise<TakenStream | null> {
  const { holder, leaseMs, at = new Date() } = options
  return await database.tx(async (tx) => {
    // Separate statements, because Citus compares no times in an ON CONFLICT, and returns only
    // columns.
    const taken = await tx.query(
      `update ${tables.stream} set
         lease_holder = $3, lease_until = now() + $4::float8 * interval '1 millisecond'
       where source = $1 and stream = $2
         and (lease_holder is null or lease_holder = $3 or lease_until <= now()
           or lease_until > now() + greatest($4::float8, ${longestLeaseMs}) * interval '1 millisecond')`,
      [source, stream, holder, leaseMs],
    )
    if (taken.rowCount === 0) {
      const begun = await tx.query(
        `insert into ${tables.stream} (source, stream, started_at, lease_holder, lease_until)
         values ($1, $2, $3, $4, now() + $5::float8 * interval '1 millisecond')
         on conflict (source, stream) do nothing`,
        [source, stream, at, holder, leaseMs],
      )
      if (begun.rowCount === 0) return null
    }
    const { rows } = await tx.query<TakenStream>(
      `select ${streamColumns}, (
         select id from ${tables.entry} where source = $1 and type = 'destination_test'
         order by received_at desc, id desc limit 1
       ) as "latestTestId"
       from ${tables.stream} where source = $1 and stream = $2`,
      [source, stream],
    )
    return rows[0] ?? null
  })
}

export async function noteStream(
  { database, tables, source }: InboxContext,
  stream: string,
  holder: string,
  note: StreamNote,
): Promise<boolean> {
  const { phase, code, waitUntil } = note
  const text = `update ${tables.stream} set phase = $4, code = $5, wait_until = $6
     where source = $1 and stream = $2 and lease_holder = $3`
  const values = [source, stream, holder, phase, code, waitUntil]
  return (await database.query(text, values)).rowCount === 1
}

export async function releaseStream(
  { database, tables, source }: InboxContext,
  stream: string,
  holder: string,
): Promise<void> {
  // The time stays, for the health: a suspended poller stores nothing else when it tries again.
  await database.query(
    `update ${tables.stream} set lease_holder = null, lease_until = now()
     where source = $1 and stream = $2 and lease_holder = $3`,
    [source, stream, holder],
  )
}

export interface StreamProgress {
  /** Names the stream: the service, the account, the endpoint and the filters. */
  stream: string
  /** The next cursor. Without one the stored cursor stays. */
  cursor?: string | null | undefined
  /**
   * When the page arrived.
   * @default new Date()
   */
  at?: Date | undefined
  /** Whether the next page is available now. */
  hasMore?: boolean | undefined
  /** When the next poll is due, if no page is available now. The health warns an hour later. */
  nextAt?: Date | null | undefined
  /** Whether the page was the head of the feed, read again to detect changes. */
  isReread?: boolean | undefined
  /** The reason of a lost cursor, if the page is a new beginning. Deletes the old cursor. */
  gapCode?: string | undefined
  /** The monthly usage that the page reports. Without one the stored usage stays. */
  usage?: StreamUsage | null | undefined
  /** The holder of the lease. If another holder has taken it, nothing is stored. */
  holder?: string | undefined
}

/**
 * Saves how far a stream has been read, and returns when it began. With a cursor or for a reread,
 * the commit does not wait for the disk. If a crash loses the page, it also loses the cursor, so
 * the page is read again. Errors: `lease_lost`.
 */
export async function saveStream(
  db: Queryable,
  { tables, source }: InboxContext,
  progress: StreamProgress,
): Promise<Date> {
  const { stream, cursor, hasMore, isReread = false, gapCode, usage, holder } = progress
  const { at = new Date(), nextAt } = progress
  const phase = hasMore === true ? 'catching_up' : 'tailing'
  // A separate statement, because Citus calls no function with side effects in RETURNING.
  const mayBeLost = typeof cursor === 'string' || isReread
  if (mayBeLost) await db.query(`select set_config('synchronous_commit', 'off', true)`)
  const { rows } = await db.query<{ startedAt: Date }>(
    `with gap as (
       insert into ${tables.streamGap} (source, stream, since, until, code)
       select $1, $2, max(polled_at), $5, $9
       from ${tables.stream} where source = $1 and stream = $2
       having $9::text is not null
     )
     insert into ${tables.stream} as known (
       source, stream, cursor, phase, started_at, polled_at, reread_at, usage, wait_until
     )
     values ($1, $2, $3, $4, $5, $5, case when $6 then $5::timestamptz end, $7, $10)
     on conflict (source, stream) do update set
       cursor = coalesce(excluded.cursor, case when $9::text is null then known.cursor end),
       phase = case when $6 then known.phase else excluded.phase end,
       code = null,
       wait_until = case when $6 then known.wait_until else excluded.wait_until end,
       polled_at = excluded.polled_at,
       reread_at = coalesce(excluded.reread_at, known.reread_at),
       usage = coalesce(excluded.usage, known.usage)
     where $8::text is null or known.lease_holder = $8
     returning started_at as "startedAt"`,
    [source, stream, cursor, phase, at, isReread, usage, holder, gapCode, nextAt],
  )
  const [row] = rows
  if (row) return row.startedAt
  throw new InboxError(
    'lease_lost',
    `Another process now has the lease of the stream ${stream}, so the cursor of this page was not stored. Take the lease again, and continue from the cursor that it returns.`,
  )
}

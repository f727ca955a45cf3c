import type { Usage } from '@feed-receiver/core/api'
import type { Queryable } from '@feed-receiver/database'
import { InboxError, say } from '../errors.ts'
import type { Place } from '../queue/queue.ts'

export interface StreamProgress {
  /** Names the stream: the service, the account, the endpoint and the filters (R125). */
  stream: string
  /** Where to go on; without one the stored cursor stays. */
  cursor?: string | null | undefined
  /**
   * When the page came.
   * @default new Date()
   */
  at?: Date | undefined
  /** Whether more is to be read at once. */
  hasMore?: boolean | undefined
  /** Whether the page was the head of the feed, read again to see what has changed. */
  isSweep?: boolean | undefined
  /** Set where the cursor was lost, and the page is a new beginning: why. Forgets the old cursor. */
  gapCode?: string | undefined
  usage?: Usage | null | undefined
  /** Who holds the lease; where somebody else does by now, nothing is stored. */
  holder?: string | undefined
}

/**
 * Saves how far a stream has been read, and gives when it began. With a cursor the transaction
 * does not wait for the disk: what a crash loses is read again, since the cursor is lost with it.
 * Errors: `lease_lost`.
 */
export async function saveStream(
  db: Queryable,
  { tables, source }: Place,
  progress: StreamProgress,
): Promise<Date> {
  const { stream, cursor, hasMore, isSweep = false, gapCode, usage, holder } = progress
  const { at = new Date() } = progress
  const phase = hasMore === true ? 'catching_up' : 'tailing'
  const mayBeLost = typeof cursor === 'string' || isSweep
  const { rows } = await db.query<{ startedAt: Date }>(
    `with gap as (
       insert into ${tables.streamGap} (source, stream, since, until, code)
       select $1, $2, (select polled_at from ${tables.stream} where source = $1 and stream = $2), $5, $9
       where $9::text is not null
     )
     insert into ${tables.stream} as known (
       source, stream, cursor, phase, started_at, polled_at, swept_at, usage
     )
     values ($1, $2, $3, $4, $5, $5, case when $6 then $5::timestamptz end, $7)
     on conflict (source, stream) do update set
       cursor = coalesce(excluded.cursor, case when $9::text is null then known.cursor end),
       phase = case when $6 then known.phase else excluded.phase end,
       code = null,
       wait_until = null,
       polled_at = excluded.polled_at,
       swept_at = coalesce(excluded.swept_at, known.swept_at),
       usage = coalesce(excluded.usage, known.usage)
     where $8::text is null or known.lease_holder = $8
     returning started_at as "startedAt", set_config(
       'synchronous_commit', case when $10 then 'off' else current_setting('synchronous_commit') end,
       true
     )`,
    [source, stream, cursor, phase, at, isSweep, usage, holder, gapCode, mayBeLost],
  )
  const [row] = rows
  if (row) return row.startedAt
  throw new InboxError('lease_lost', say('lease_lost', { stream }))
}

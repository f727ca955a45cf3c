import { otherShard, streamColumns, type StreamRow } from '../pull/streams.ts'
import type { InboxContext } from '../context.ts'

/** A stream of the pull API, and whether its poller needs a person. */
export interface CheckedStream {
  row: Omit<StreamRow, 'cursor'>
  /** Whether its poller waits for a person, or nobody reads it. */
  trouble: 'suspended' | 'silent' | null
  source: string
  /** The table that it is a row of. */
  table: string
}

/**
 * Checks the streams of an inbox. A stream is named by its base URL and filter, so a corrected or
 * changed poller leaves the old one behind, which no longer counts after some time:
 *
 * - A suspended poller that tries again by itself counts until a day after its last try. One that
 *   does not takes its lease each minute: without that, its stream counts until a newer one begins.
 *   Five minutes are longer than a rolling deploy, in which a wrong poller may still run beside the
 *   corrected one.
 * - A stream is silent if in the last hour it was neither read, nor waited for, nor due for its next
 *   poll, until a newer one begins.
 * - The stream of another shard is checked there.
 */
export async function checkStreams(context: InboxContext): Promise<CheckedStream[]> {
  const { database, tables, source } = context
  const { rows } = await database.query<StreamRow & Pick<CheckedStream, 'trouble'>>(
    `select ${streamColumns}, case
         when lease_holder = '${otherShard}' then null
         when phase <> 'suspended' then case
           when greatest(seen_at, wait_until) < now() - interval '1 hour'
           and not exists (
             select from ${tables.stream} newer
             where newer.source = $1 and newer.started_at > seen_at
           ) then 'silent' end
         when code = 'unauthorized' or wait_until is not null
           then case when taken_at > now() - interval '1 day' then 'suspended' end
         when taken_at > now() - interval '5 minutes' or not exists (
           select from ${tables.stream} other
           where other.source = $1 and other.stream <> known.stream
             and greatest(other.polled_at, other.started_at) > taken_at
         ) then 'suspended'
       end as trouble
     from ${tables.stream} known,
       lateral (select greatest(
         started_at, polled_at, case when phase <> 'tailing' then wait_until end
       ) as seen_at) seen,
       lateral (select greatest(lease_until, seen_at) as taken_at) taken
     where source = $1 order by stream`,
    [source],
  )
  return rows.map(({ trouble, cursor: _cursor, ...row }) => {
    return { row, trouble, source, table: tables.stream }
  })
}

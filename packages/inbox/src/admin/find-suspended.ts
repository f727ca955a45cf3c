import { isoTime } from '../entry/sql.ts'
import type { StreamRow } from '../pull/streams.ts'
import type { InboxContext } from '../context.ts'

/** A stream whose poller waits for a person. */
export interface SuspendedStream extends Pick<StreamRow, 'stream' | 'code' | 'polledAt'> {
  source: string
  /** The table that it is a row of. */
  table: string
}

// Longer than a rolling deploy, in which a wrong poller may still run beside the corrected one.
const silence = `interval '5 minutes'`

/**
 * Finds the streams whose poller waits for a person. A stream is named by its base URL and filter,
 * so a corrected poller leaves the old one behind. That one no longer counts a day after the last
 * try of a poller that tries again by itself. A poller that does not try again takes its lease each
 * minute: without that, its stream no longer counts once a newer one has begun.
 */
export async function findSuspended({
  database,
  tables,
  source,
}: InboxContext): Promise<SuspendedStream[]> {
  const takenAt = `greatest(suspended.lease_until, suspended.wait_until, suspended.polled_at,
    suspended.started_at)`
  const { rows } = await database.query<Pick<StreamRow, 'stream' | 'code' | 'polledAt'>>(
    `select stream, code, ${isoTime('polled_at')} as "polledAt"
     from ${tables.stream} suspended
     where source = $1 and phase = 'suspended' and case
       when code = 'unauthorized' or wait_until is not null
         then ${takenAt} > now() - interval '1 day'
       else ${takenAt} > now() - ${silence} or not exists (
         select from ${tables.stream} other
         where other.source = $1 and other.stream <> suspended.stream
           and greatest(other.polled_at, other.started_at) > ${takenAt}
       ) end
     order by stream`,
    [source],
  )
  return rows.map((row) => ({ ...row, source, table: tables.stream }))
}

/**
 * Finds the streams that were neither read nor waited for in the last hour. A stream no longer counts
 * once a newer one has begun, because a changed poller leaves the old one behind.
 */
export async function findSilent({
  database,
  tables,
  source,
}: InboxContext): Promise<SuspendedStream[]> {
  const { rows } = await database.query<Pick<StreamRow, 'stream' | 'code' | 'polledAt'>>(
    `select stream, code, ${isoTime('polled_at')} as "polledAt" from ${tables.stream} silent
     where source = $1 and phase <> 'suspended'
       and greatest(started_at, polled_at, wait_until) < now() - interval '1 hour'
       and not exists (
         select from ${tables.stream} newer where newer.source = $1
           and newer.started_at > greatest(silent.started_at, silent.polled_at, silent.wait_until)
       )
     order by stream`,
    [source],
  )
  return rows.map((row) => ({ ...row, source, table: tables.stream }))
}

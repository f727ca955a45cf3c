import type { Queryable } from '@feed-receiver/database'
import { streamRowColumns, type StreamRow } from './stream-row.ts'
import type { Tables } from '../entry/tables.ts'

export interface TakeOptions {
  /** Names the process, or whatever in it holds the lease. */
  holder: string
  /** For how long, by the clock of the database. */
  leaseMs: number
  /**
   * When the stream begins, where it is new.
   * @default new Date()
   */
  at?: Date | undefined
}

export interface TakenStream extends StreamRow {
  /** The entry of the latest test delivery: another one says that the destination is active again. */
  latestTestId: number | null
}

/** Takes a lease that is free, our own, or over. */
export async function takeStream(
  db: Queryable,
  { stream: table, entry }: Tables,
  {
    source,
    stream,
    holder,
    leaseMs,
    at = new Date(),
  }: TakeOptions & { source: string; stream: string },
): Promise<TakenStream | null> {
  const { rows } = await db.query<TakenStream>(
    `insert into ${table} as known (
       source, stream, started_at, lease_holder, lease_until
     )
     values ($1, $2, $3, $4, now() + $5::float8 * interval '1 millisecond')
     on conflict (source, stream) do update set
       lease_holder = excluded.lease_holder,
       lease_until = excluded.lease_until
     where known.lease_holder is null
       or known.lease_holder = excluded.lease_holder
       or known.lease_until <= now()
     returning ${streamRowColumns}, (
       select id from ${entry} where source = $1 and type = 'destination_test'
       order by received_at desc, id desc limit 1
     ) as "latestTestId"`,
    [source, stream, at, holder, leaseMs],
  )
  return rows[0] ?? null
}

import type { Queryable } from '@feed-receiver/database'
import { boundedCount, type BoundedCount } from '../entry/count-entries.ts'
import type { EntryState } from '../entry/entry-filter.ts'
import { isoTime } from '../entry/iso-time.ts'
import type { Tables } from '../entry/tables.ts'

export interface ActivityOptions {
  /**
   * How many hours back to look.
   * @default 24
   */
  hours?: number
}

/** What came in the last hours, and what became of it; times are ISO 8601 in UTC. */
export interface Activity {
  /** Since when entries were looked at: later than asked for where there were too many. */
  since: string
  /** False where more came than were looked at. */
  isExact: boolean
  /** How long one step of the plot is, in seconds. */
  stepSeconds: number
  steps: ActivityStep[]
  /** When a delivery last brought an event, new or known; null before the first. */
  lastDeliveryAt: string | null
  /** Jobs whose last attempt failed and that wait for the next, counted up to 1,000. */
  failing: BoundedCount
}

/** The entries of one type and state that came within one step. */
export interface ActivityStep {
  at: string
  type: string
  state: EntryState
  accepted: number
  /** Repeats of these entries that were absorbed. */
  duplicates: number
  /** Those that only pull has brought. */
  pulled: number
}

/** How many entries are looked at, so that asking stays cheap. */
const maxEntries = 20_000
const countUpTo = 1_000
const stepCount = 48

/** Sums up what came lately, off the index of the newest entries. */
export async function findActivity(
  db: Queryable,
  { entry, job }: Pick<Tables, 'entry' | 'job'>,
  { source, queue, hours, now }: { source: string; queue: string; hours: number; now: number },
): Promise<Activity> {
  const stepSeconds = Math.max(1, Math.round((hours * 3_600) / stepCount))
  const askedSince = new Date(now - hours * 3_600_000)
  const { rows } = await db.query<ActivityStep & { earliest: string; lastPush: string | null }>(
    `select ${isoTime('to_timestamp(step * $3::float8)')} as at, type, state, accepted, duplicates, pulled,
       ${isoTime('earliest')} as earliest, ${isoTime('last_push')} as "lastPush"
     from (
       select floor(extract(epoch from received_at)::float8 / $3::float8) as step, type, state,
         count(*) as accepted, sum(greatest(push_count - 1, 0)) as duplicates,
         count(*) filter (where push_count = 0) as pulled,
         min(received_at) as earliest, max(last_push_at) as last_push
       from (
         select received_at, type, state, push_count, last_push_at from ${entry}
         where source = $1 and received_at >= $2
         order by received_at desc, id desc
         limit ${maxEntries}
       ) latest
       group by 1, 2, 3
     ) steps
     order by step`,
    [source, askedSince, stepSeconds],
  )
  const looked = rows.reduce((sum, { accepted }) => sum + accepted, 0)
  const lastPushes = rows.flatMap(({ lastPush }) => lastPush ?? [])
  const isExact = looked < maxEntries
  return {
    since: isExact ? askedSince.toISOString() : (rows[0]?.earliest ?? askedSince.toISOString()),
    isExact,
    stepSeconds,
    steps: rows.map(({ at, type, state, accepted, duplicates, pulled }) => ({
      at,
      type,
      state,
      accepted,
      duplicates,
      pulled,
    })),
    lastDeliveryAt: lastPushes.toSorted().at(-1) ?? (await findNewest(db, entry, source)),
    failing: await countFailing(db, job, queue),
  }
}

async function findNewest(db: Queryable, table: string, source: string): Promise<string | null> {
  const { rows } = await db.query<{ at: string | null }>(
    // What came last may have come by pull alone.
    `select ${isoTime('max(last_push_at)')} as at from (
       select last_push_at from ${table}
       where source = $1 order by received_at desc, id desc limit ${countUpTo}
     ) newest`,
    [source],
  )
  return rows[0]?.at ?? null
}

async function countFailing(db: Queryable, table: string, queue: string): Promise<BoundedCount> {
  // By their time: those that wait for a first attempt are due already, and may be very many.
  const { rows } = await db.query<{ count: number }>(
    `select count(*) as count from (
       select 1 from ${table}
       where name = $1 and state < 'active' and start_after > now() and state = 'retry'
       limit ${countUpTo + 1}
     ) counted`,
    [queue],
  )
  return boundedCount(rows[0]?.count ?? 0, countUpTo)
}

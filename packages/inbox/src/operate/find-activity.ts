import type { EntryState } from '../entry/entry-filter.ts'
import { boundedCount, countSql, countUpTo, isoTime, newestFirstSql } from '../entry/sql.ts'
import type { BoundedCount } from '../entry/sql.ts'
import { checkOption } from '../errors.ts'
import type { Place } from '../queue/queue.ts'

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
const stepCount = 48

/** Sums up what came lately, off the index of the newest entries. */
export async function findActivity(place: Place, options: ActivityOptions = {}): Promise<Activity> {
  const { hours = 24 } = options
  checkOption(hours > 0 && hours <= 24 * 366, 'hours: use a number above 0, up to a year.')
  const { database, tables, source } = place
  const stepSeconds = Math.max(1, Math.round((hours * 3_600) / stepCount))
  const askedSince = new Date(Date.now() - hours * 3_600_000)
  const { rows } = await database.query<
    ActivityStep & { earliest: string; lastPush: string | null }
  >(
    `select ${isoTime('to_timestamp(step * $3::float8)')} as at, type, state, accepted, duplicates, pulled,
       ${isoTime('earliest')} as earliest, ${isoTime('last_push')} as "lastPush"
     from (
       select floor(extract(epoch from received_at)::float8 / $3::float8) as step, type, state,
         count(*) as accepted, sum(greatest(push_count - 1, 0)) as duplicates,
         count(*) filter (where push_count = 0) as pulled,
         min(received_at) as earliest, max(last_push_at) as last_push
       from (
         select received_at, type, state, push_count, last_push_at from ${tables.entry}
         where source = $1 and received_at >= $2
         ${newestFirstSql} limit ${maxEntries}
       ) latest
       group by 1, 2, 3
     ) steps
     order by step`,
    [source, askedSince, stepSeconds],
  )
  const looked = rows.reduce((sum, { accepted }) => sum + accepted, 0)
  const lastPushes = rows.flatMap(({ lastPush }) => lastPush ?? [])
  const isExact = looked < maxEntries
  const earliest = isExact ? undefined : rows[0]?.earliest
  const { newest, failing } = await findNewestAndFailing(place)
  return {
    since: earliest ?? askedSince.toISOString(),
    isExact,
    stepSeconds,
    steps: rows.map(({ earliest: _earliest, lastPush: _lastPush, ...step }) => step),
    lastDeliveryAt: lastPushes.toSorted().at(-1) ?? newest,
    failing: boundedCount(failing),
  }
}

async function findNewestAndFailing({ database, tables, source, queue }: Place) {
  // By their time: those that wait for a first attempt are due already, and may be very many.
  const failing = `select 1 from ${tables.job}
    where name = $2 and state < 'active' and start_after > now() and state = 'retry'`
  const { rows } = await database.query<{ newest: string | null; failing: number }>(
    // What came last may have come by pull alone.
    `select ${isoTime('max(last_push_at)')} as newest, ${countSql(failing)} as failing from (
       select last_push_at from ${tables.entry}
       where source = $1 ${newestFirstSql} limit ${countUpTo}
     ) newest`,
    [source, queue.name],
  )
  return rows[0] ?? { newest: null, failing: 0 }
}

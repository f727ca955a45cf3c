import { isFailingSql, isPendingSql, type ListedState } from '../entry/entry-filter.ts'
import { boundedCount, countSql, isoTime, newestFirstSql } from '../entry/sql.ts'
import type { BoundedCount } from '../entry/sql.ts'
import { checkOption } from '../errors.ts'
import type { InboxContext } from '../context.ts'
import { findLastPush, isPushSql } from './gaps.ts'

export interface ActivityOptions {
  /**
   * How many hours back to look.
   * @default 24
   */
  hours?: number
}

/** The events of the last hours by time and state. Times are ISO 8601 in UTC. */
export interface Activity {
  /** The beginning of the counted period: later than asked for if there were too many entries. */
  since: string
  /** False if more entries were received than were counted. */
  isExact: boolean
  /** The width of one step of the plot, in seconds. */
  stepSeconds: number
  steps: ActivityStep[]
  /**
   * When a delivery last brought an event, new or duplicate, as far as the counted entries and the
   * newest 1,000 tell; null if it brought none of them. Tests of `check` and `doctor` do not count.
   */
  lastDeliveryAt: string | null
  /** Entries whose last attempt failed and that wait for a retry, counted up to 1,000. */
  failing: BoundedCount
  /** The deliveries that were rejected or quarantined, by step. They are no entries. */
  notStored: RejectedStep[]
}

/** The entries of one type and state that were received within one step. */
export interface ActivityStep {
  at: string
  type: string
  state: ListedState
  accepted: number
  /** The duplicates of these entries. */
  duplicates: number
  /** The entries that only pull has brought. */
  pulled: number
}

/** The deliveries of one step that became no entry. */
export interface RejectedStep {
  at: string
  /** Rejections are counted by the hour, and appear in the last step of each hour. */
  outcome: 'rejected' | 'quarantined'
  count: number
}

/** The maximum number of entries to count, which keeps the query cheap. */
const maxEntries = 20_000
const stepCount = 48

/** Sums up recent entries, from the index of the newest ones. */
export async function findActivity(
  context: InboxContext,
  options: ActivityOptions = {},
): Promise<Activity> {
  const { hours = 24 } = options
  checkOption(hours > 0 && hours <= 24 * 366, 'hours: use a number above 0, up to a year.')
  const { database, tables, source } = context
  const stepSeconds = Math.max(1, Math.round((hours * 3_600) / stepCount))
  const askedSince = new Date(Date.now() - hours * 3_600_000)
  const { rows } = await database.query<
    ActivityStep & { earliest: string; lastPush: string | null }
  >(
    `with failing as materialized (select id from ${tables.entry} where ${isFailingSql(tables)})
     select ${stepTime} as at, type, state, accepted, duplicates, pulled,
       ${isoTime('earliest')} as earliest, ${isoTime('last_push')} as "lastPush"
     from (
       select ${stepOf('received_at')} as step, type,
         case when ${isPendingSql} and id in (select id from failing) then 'failing' else state end as state,
         count(*) as accepted, sum(greatest(push_count - 1, 0)) as duplicates,
         count(*) filter (where push_count = 0) as pulled,
         min(received_at) as earliest, max(last_push_at) filter (where ${isPushSql}) as last_push
       from (
         select id, received_at, type, state, push_count, last_push_at, notes from ${tables.entry}
         where source = $1 and received_at >= $2
         ${newestFirstSql} limit ${maxEntries}
       ) latest
       group by 1, 2, 3
     ) steps
     order by step`,
    [source, askedSince, stepSeconds],
  )
  const counted = rows.reduce((sum, { accepted }) => sum + accepted, 0)
  // Older entries may have had the latest duplicate, and all of these may have come by pull.
  const lastPushes = [...rows.map((row) => row.lastPush), await findLastPush(context)]
  const isExact = counted < maxEntries
  const earliest = isExact ? undefined : rows.map((row) => row.earliest).toSorted()[0]
  return {
    since: earliest ?? askedSince.toISOString(),
    isExact,
    stepSeconds,
    steps: rows.map(({ earliest: _earliest, lastPush: _lastPush, ...step }) => step),
    lastDeliveryAt:
      lastPushes
        .flatMap((at) => at ?? [])
        .toSorted()
        .at(-1) ?? null,
    failing: await countFailing(context),
    notStored: await findNotStored(context, askedSince, stepSeconds),
  }
}

const stepTime = isoTime('to_timestamp(step * $3::float8)')

function stepOf(column: string): string {
  return `floor(extract(epoch from ${column})::float8 / $3::float8)`
}

async function findNotStored(
  { database, tables, source }: InboxContext,
  since: Date,
  stepSeconds: number,
): Promise<RejectedStep[]> {
  const { rows } = await database.query<RejectedStep>(
    `select ${stepTime} as at, outcome, sum(count)::bigint as count
     from (
       select ${stepOf('last_at')} as step, 'rejected' as outcome, count from ${tables.rejection}
       where source = $1 and last_at >= $2
       union all
       select ${stepOf('first_seen_at')}, 'quarantined', 1 from (
         select first_seen_at from ${tables.quarantine}
         where source = $1 order by id desc limit ${maxEntries}
       ) latest where first_seen_at >= $2
     ) not_stored
     group by step, outcome order by step, outcome`,
    [source, since, stepSeconds],
  )
  return rows
}

async function countFailing({ database, tables, source }: InboxContext): Promise<BoundedCount> {
  const failing = `select 1 from ${tables.entry} where source = $1 and ${isFailingSql(tables)}`
  const text = `select ${countSql(failing)} as count`
  return boundedCount((await database.query<{ count: number }>(text, [source])).rows[0]?.count)
}

import type { InboxContext } from '../context.ts'
import { findLastPush, type ProbablePause } from './gaps.ts'
import { listRejections, meaningOf, type RejectionRow } from './rejections.ts'

/** The service sends only POST, so whoever got these answers is somebody else. */
export const neverOfService = ['method_not_allowed']
/** How far back a rejection may have paused the feed. */
export const suspectDays = 14

/** The rejection that has probably paused the feed. */
export interface Pausing extends Pick<
  RejectionRow,
  'reason' | 'status' | 'count' | 'lastAt' | 'fix'
> {
  /** Why it was probably the service that was rejected. */
  evidence: string
}

/**
 * Finds the rejection that has probably paused the feed: its status pauses, no delivery has been
 * accepted since, and it went to what is the service. An unknown, missing or malformed signature
 * proves nothing, because anybody can send one, a test of yours too. Then only what the feed does
 * shows a pause: push misses events that pull has seen, or is silent for much longer than usual.
 */
export async function findPausing(
  context: InboxContext,
  missed: ProbablePause | null,
): Promise<Pausing | undefined> {
  const rejected = await listRejections(context, { hours: suspectDays * 24 })
  const suspects = rejected.filter(
    ({ sender, reason }) => sender === 'pause' && !neverOfService.includes(reason),
  )
  if (suspects.length === 0) return undefined
  const lastPushAt = await findLastPush(context)
  const open = suspects
    // Times are compared to the millisecond, in which a delivery and a rejection may both fall.
    .filter(({ lastAt }) => lastPushAt === null || lastAt >= lastPushAt)
    .toSorted((one, other) => other.lastAt.localeCompare(one.lastAt))
  // Everything that only the holder of a secret can cause, or that your own code rejects.
  const certain = open.find(({ reason }) => meaningOf(reason)?.notFromService !== true)
  if (certain) return { ...certain, evidence: 'It has accepted no delivery since' }
  const [latest] = open
  if (!latest) return undefined
  if (missed) {
    const evidence = `Push has missed ${missed.missed.count} events since its last one`
    return { ...latest, evidence }
  }
  if (lastPushAt === null) return undefined
  const usual = await readUsualQuiet(context)
  if (isUnusuallyQuiet({ ...usual, lastPushAt: new Date(lastPushAt) }) !== true) return undefined
  const evidence = `It has accepted no delivery since ${lastPushAt}, longer than usual`
  return { ...latest, evidence }
}

/**
 * Whether push has been silent for more than 1.5 times its longest silence in two weeks, plus an
 * hour; undefined if there is too little data.
 */
export function isUnusuallyQuiet({ asOf, lastPushAt, usualQuietHours }: Quiet) {
  if (lastPushAt === null || usualQuietHours === null) return undefined
  return hoursBetween(lastPushAt, asOf) > usualQuietHours * 1.5 + 1
}

interface Quiet {
  asOf: Date
  lastPushAt: Date | null
  usualQuietHours: number | null
}

export function hoursBetween(since: Date, until: Date): number {
  return (until.getTime() - since.getTime()) / 3_600_000
}

async function readUsualQuiet({ database, tables, source }: InboxContext) {
  const { rows } = await database.query<Omit<Quiet, 'lastPushAt'>>(
    `select now() as "asOf", ${usualQuietHoursSql(tables.entry, 'now()')} as "usualQuietHours"`,
    [source],
  )
  return rows[0] ?? { asOf: new Date(), usualQuietHours: null }
}

/**
 * The longest time without an accepted delivery in two weeks, in hours; null with less than 8 days
 * of data, which may include no weekend. Looks at hours, because entries may number millions.
 */
export function usualQuietHoursSql(entry: string, at: string): string {
  return `(
    select case when max(hour) - min(hour) >= interval '8 days'
      then extract(epoch from max(quiet))::float8 / 3600 end
    from (
      select hour, hour - lag(hour) over (order by hour) as quiet
      from generate_series(
        date_trunc('hour', ${at}) - interval '14 days', date_trunc('hour', ${at}), interval '1 hour'
      ) hour
      where exists (
        select from (
          select push_count from ${entry}
          where source = $1 and received_at >= hour and received_at < hour + interval '1 hour'
          limit 100
        ) one where push_count > 0
      )
    ) busy
  )`
}

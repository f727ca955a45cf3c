import { neverSentReasons, pausingStatuses } from '@feed-receiver/core/internal'
import type { InboxContext } from '../context.ts'
import { countSql, countUpTo, isoTime, listSql, newestFirstSql } from '../entry/sql.ts'
import type { Tables } from '../entry/tables.ts'
import type { Queue } from '../queue/queue.ts'
import { isOfTables } from '../sql-states.ts'
import { distinctValuesSql } from '../admin/find-facets.ts'
import { isGap, isPushSql, lastPushSql } from '../admin/gaps.ts'
import { isFirstSql, isHeldSql } from './job-counts.ts'
import { pausesSql, type PauseRow } from '../admin/pauses.ts'
import type { RejectionRow } from '../admin/rejections.ts'
import { secretUsesSql } from '../admin/secret-uses.ts'

/** What shows the problems that tables store. A count of 1,001 means more than 1,000. */
export interface AlertInputs {
  /** The time of the check, by the database's clock. */
  asOf: Date
  /** Entries that died recently, by type. */
  dead: { type: string; count: number }[]
  /** Since when the oldest pending entry has been due; null if none is pending. */
  dueSince: Date | null
  /** Types of which many recent latest attempts failed, with the number of entries done. */
  failureRates: { type: string; failed: number; done: number }[]
  /** Open rows in quarantine. */
  quarantined: number
  /** Events that push missed although it delivered later ones. */
  missed: number
  /** Events that push should have delivered since its last delivery. */
  unpushed: number
  /** When the last accepted delivery of a new event was signed. */
  lastPushAt: Date | null
  /** When the last delivery was accepted, new or duplicate; null if none is known. */
  acceptedAt: string | null
  /** The rejections since then with a status that pauses the feed, the latest reason first. */
  rejected: Pick<RejectionRow, 'reason' | 'status' | 'count' | 'lastAt'>[]
  /**
   * The longest time without an accepted delivery in two weeks; null if there is too little data.
   */
  usualQuietHours: number | null
  /** Secrets that still sign long after a newer one began to. */
  oldSecrets: { secret: string; newer: string; hours: number }[]
  streamGaps: { stream: string; code: string }[]
  pauses: PauseRow[]
}

/** How far back a rejection may have paused the feed. */
const suspectDays = 14

/** A count of the inputs, as texts name it. */
export function bounded(count: number): string {
  return count > countUpTo ? `more than ${countUpTo}` : String(count)
}

/** How far back the inputs reach, and the minimum counts. */
export interface AlertLimits {
  deadDays: number
  failureMinutes: number
  failureCount: number
  missedHours: number
  oldSecretHours: number
  gapHours: number
}

export interface AlertInputOptions {
  /** The time to read at. @default the database's current time */
  asOf?: Date | undefined
  /** SQL for a time: events that were pulled before it are not missed. `$1` is the source. */
  missedAfter?: string
}

/** Reads all inputs in one statement. Each part of it ends at an index or at a limit. */
export async function readAlertInputs(
  context: InboxContext,
  limits: AlertLimits,
  options: AlertInputOptions = {},
): Promise<AlertInputs> {
  return await readParts(context, partsOf(context, limits, options), options)
}

/**
 * Reads the inputs of each part alone, for a database of which a table is missing or forbidden. The
 * parts that cannot be read show no problem. Errors: those of a database that does not answer.
 */
export async function readReadableInputs(
  context: InboxContext,
  limits: AlertLimits,
): Promise<AlertInputs> {
  const inputs: AlertInputs = {
    asOf: new Date(),
    dead: [],
    dueSince: null,
    failureRates: [],
    quarantined: 0,
    missed: 0,
    unpushed: 0,
    lastPushAt: null,
    acceptedAt: null,
    rejected: [],
    usualQuietHours: null,
    oldSecrets: [],
    streamGaps: [],
    pauses: [],
  }
  for (const part of partsOf(context, limits)) {
    const read = await readParts(context, [part]).catch((error: unknown) => {
      if (!isOfTables(error)) throw error
    })
    Object.assign(inputs, read)
  }
  return inputs
}

async function readParts(
  { database, source, queue }: InboxContext,
  parts: readonly Part[],
  { asOf }: AlertInputOptions = {},
): Promise<AlertInputs> {
  const queries = Object.assign({ given: givenSql }, ...parts.map((part) => part.queries))
  const columns = Object.assign({ asOf: asOfSql }, ...parts.map((part) => part.columns))
  const named = Object.entries(queries).map(([name, sql]) => `${name} as (${String(sql)})`)
  const selected = Object.entries(columns).map(([name, sql]) => `${String(sql)} as "${name}"`)
  const text = `with recursive ${named.join(', ')} select ${selected.join(', ')}`
  const { rows } = await database.tx(async (tx) => {
    // PostgreSQL would compile this statement, which takes ten times as long as running it.
    await tx.query('set local jit = off')
    const values = [source, asOf ?? null, queue.name]
    return await tx.query<AlertInputs>(text, values, { isRepeated: true })
  })
  const [row] = rows
  if (!row) throw new Error('A statement without a condition returned no row.')
  return row
}

/** The time of the check. */
const asOfSql = 'coalesce($2::timestamptz, now())'
/** The types of all values, because a part alone does not use each. */
const givenSql = 'select $1::text, $2::timestamptz, $3::text'

/** Inputs that need the same tables. */
interface Part {
  /** The queries of the statement that they share, by the name that its SQL uses. */
  queries?: Record<string, string>
  columns: Partial<Record<keyof AlertInputs, string>>
}

function partsOf(
  { tables, queue }: InboxContext,
  limits: AlertLimits,
  { missedAfter = 'null::timestamptz' }: AlertInputOptions = {},
): Part[] {
  const { entry, quarantine } = tables
  const deadTypes = { dead_type: distinctValuesSql('dead_type', entry, 'type', `state = 'dead'`) }
  const pushes = {
    signer: distinctValuesSql('signer', entry, 'signed_by', 'true'),
    latest: latestPushSql('signer', entry),
  }
  return [
    {
      queries: { ...deadTypes, ...pushes, used: secretUsesSql('signer', entry) },
      columns: {
        dead: subjectsSql(deadTypesSql('dead_type', entry, limits)),
        missed: countSql(`select 1 from ${entry}
          where ${isGap('missed', asOfSql)} and pulled_at > ${ago(limits.missedHours, 'hour')}
            and pulled_at > coalesce(${missedAfter}, '-infinity')
            and pulled_at <= (select at from latest)`),
        unpushed: countSql(`select 1 from ${entry} where ${isGap('missed', asOfSql)}
          and pulled_at > coalesce((select at from latest), '-infinity')`),
        lastPushAt: '(select at from latest)',
        oldSecrets: subjectsSql(oldSecretsSql('used', limits)),
      },
    },
    {
      queries: deadTypes,
      columns: {
        dueSince: dueSinceSql(tables, queue),
        failureRates: subjectsSql(failureRatesSql('dead_type', tables, limits)),
      },
    },
    {
      queries: {
        ...pushes,
        accepted: `select coalesce((${lastPushSql(tables)}), (select at from latest)) as at`,
        rejected: rejectedSql('accepted', tables),
      },
      columns: {
        acceptedAt: `(select ${isoTime('at')} from accepted)`,
        rejected: subjectsSql(
          `select reason, status, count, ${isoTime('last_at')} as "lastAt"
           from rejected order by last_at desc`,
        ),
        usualQuietHours: `case when exists (select from rejected)
          then ${usualQuietHoursSql(entry)} end`,
      },
    },
    {
      columns: {
        quarantined: countSql(`select 1 from ${quarantine} where source = $1 and state = 'open'`),
      },
    },
    { columns: { streamGaps: subjectsSql(streamGapsSql(tables, limits)) } },
    { columns: { pauses: subjectsSql(pausesSql(tables)) } },
  ]
}

/** The maximum number of types, secrets or streams per rule: more than any feed has. */
const maxSubjects = 500

function ago(amount: number, unit: string): string {
  return `${asOfSql} - ${amount} * interval '1 ${unit}'`
}

function subjectsSql(query: string): string {
  return listSql(`${query} limit ${maxSubjects}`)
}

/** Off the index of those who sign, which needs no statistics to be used. */
function latestPushSql(signers: string, entry: string): string {
  return `select max(pushed.at) as at from ${signers}, lateral (
        select max(signed_at) as at from ${entry} entry
        where entry.source = $1 and entry.signed_by = ${signers}.value and ${isPushSql}
      ) pushed`
}

/** The rejections since the time of the query `accepted`. */
function rejectedSql(accepted: string, { rejection }: Tables): string {
  return `select reason, sum(count)::float8 as count, max(last_at) as last_at,
        (array_agg(status order by hour desc))[1] as status
      from ${rejection}
      where source = $1 and reason <> all ('{${neverSentReasons.join(',')}}')
        and hour > ${ago(suspectDays, 'day')}
        and last_at >= coalesce(
          (select date_trunc('milliseconds', at) from ${accepted}), '-infinity'
        )
        and status in (${pausingStatuses.join(', ')})
      group by reason`
}

function deadTypesSql(deadTypes: string, entry: string, { deadDays }: AlertLimits): string {
  const since = ago(deadDays, 'day')
  return `select type, count from (
      select value as type, ${countSql(deadSql(entry, `${deadTypes}.value`, since))} as count
      from ${deadTypes} where value is not null
    ) dead where count > 0 order by type`
}

function oldSecretsSql(used: string, { oldSecretHours }: AlertLimits): string {
  return `select old.secret, newer.secret as newer,
    extract(epoch from old.last_at - newer.first_at)::float8 / 3600 as hours
  from ${used} old, lateral (
    select secret, first_at from ${used}
    where first_at > old.first_at
      and first_at < old.last_at - ${oldSecretHours} * interval '1 hour'
    order by first_at limit 1
  ) newer
  where old.last_at > ${ago(24, 'hour')} order by old.secret`
}

function streamGapsSql({ streamGap }: Tables, { gapHours }: AlertLimits): string {
  return `select stream, max(code) as code from (
      select stream, code, until from ${streamGap} where source = $1 order by id desc limit 100
    ) gap where until > ${ago(gapHours, 'hour')} group by stream order by stream`
}

/**
 * Reads the oldest pending entries. Entries in backoff and paused entries are left out, because
 * other rules and the health report them.
 */
function dueSinceSql({ entry, pause, job, operation }: Tables, queue: Queue): string {
  // After a pause, the workers get time to catch up with the backlog.
  const resumedAt = `(select max(done_at) from (
      select kind, done_at from ${operation} where source = $1 order by id desc limit 100
    ) latest where kind = 'resume')`
  const paused = `array(select type from ${pause} where source = $1)`
  const isFree = `(${paused} = '{}' or not ${isHeldSql(job, true, paused)})`
  const mayRun = queue.isOrdered ? `${isFirstSql(job)} and ${isFree}` : 'true'
  return `(
    select greatest(min(coalesce(job.start_after, oldest.received_at)), case when count(*) > 0 then ${resumedAt} end)
    from (
      select id, received_at from (
        select id, type, received_at from ${entry}
        where source = $1 and state = 'received' order by received_at, id limit 10000
      ) received
      where not exists (select from ${pause} where source = $1 and type in ('', received.type))
      order by received_at, id limit 500
    ) oldest
    left join lateral (
      select * from (select * from ${job} where data ->> 'entryId' = oldest.id::text offset 0) job
      where job.name = $3 and job.state < 'completed' limit 1
    ) job on true
    where job.id is null
      or (job.state < 'active' and job.start_after <= ${asOfSql} and ${mayRun})
  )`
}

/** Selects the entries of a type that died since then. */
function deadSql(entry: string, type: string, since: string): string {
  return `select 1 from ${entry}
    where source = $1 and state = 'dead' and type = ${type} and handled_at > ${since}`
}

/**
 * Counts an entry once, by its latest attempt, regardless of the number of attempts: those that
 * wait for a retry, and those that died.
 */
function failureRatesSql(
  deadTypes: string,
  { entry, job }: Tables,
  { failureMinutes, failureCount }: AlertLimits,
): string {
  const since = ago(failureMinutes, 'minute')
  const dead = deadSql(entry, `${deadTypes}.value`, since)
  return `select type, failed, (
      select count(*) from (
        select state, handled_at from ${entry} entry
        where entry.source = $1 and entry.state <> 'received' and entry.type = tried.type
        ${newestFirstSql} limit 10000
      ) ended
      where state = 'done' and handled_at > ${since}
    ) as done
    from (
      select type, count(*) as failed from (
        (select group_id as type from ${job}
         where name = $3 and state < 'active' and not blocked and state = 'retry'
           and start_after > ${asOfSql} and started_on > ${since} limit 5000)
        union all
        (select value as type from ${deadTypes}, lateral (${dead} limit 5000) dead)
      ) failed
      where type is not null group by type having count(*) >= ${failureCount}
    ) tried order by type`
}

/**
 * The longest time without an accepted delivery in two weeks, in hours; null with less than 8 days
 * of data, which may include no weekend. Looks at hours, because entries may number millions.
 */
function usualQuietHoursSql(entry: string): string {
  return `(
    select case when max(hour) - min(hour) >= interval '8 days'
      then extract(epoch from max(quiet))::float8 / 3600 end
    from (
      select hour, hour - lag(hour) over (order by hour) as quiet
      from generate_series(
        date_trunc('hour', ${asOfSql}) - interval '14 days', date_trunc('hour', ${asOfSql}), interval '1 hour'
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

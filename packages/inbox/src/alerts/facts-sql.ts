import { pausingStatuses } from '@feed-receiver/core'
import { countSql, newestFirstSql } from '../entry/sql.ts'
import type { Tables } from '../entry/tables.ts'
import { distinctValuesSql } from '../admin/find-facets.ts'
import { suspectDays, usualQuietHoursSql } from '../admin/find-pause.ts'
import { isGap } from '../admin/gaps.ts'
import { isFirst } from '../admin/job-counts.ts'
import type { InboxContext } from '../context.ts'
import type { Queue } from '../queue/queue.ts'

/** The maximum number of types, secrets or streams per rule: more than any feed has. */
const maxSubjects = 500

const at = 'coalesce($2::timestamptz, now())'

function ago(amount: string, unit: string): string {
  return `${at} - ${amount} * interval '1 ${unit}'`
}

/** The statement that reads all facts. `readFacts` passes its parameters. */
export function factsSql({ tables, queue }: InboxContext): string {
  const { entry, quarantine, refusal, alert, streamGap, pause } = tables
  const list = (query: string) =>
    `(select coalesce(json_agg(listed), '[]') from (${query} limit ${maxSubjects}) listed)`
  return `with recursive ${distinctValuesSql(entry, 'signed_by', 'true')},
    ${distinctValuesSql(entry, 'type', `state = 'dead'`, 'dead_type')},
    used as (
      select found.value as secret,
        (select min(signed_at) from ${entry} entry
         where entry.source = $1 and entry.signed_by = found.value) as first_at,
        (select max(signed_at) from ${entry} entry
         where entry.source = $1 and entry.signed_by = found.value) as last_at
      from found where found.value is not null
    ),
    -- Off the index of those who sign, which needs no statistics to be used.
    latest as (select max(last_at) as at from used),
    refused as (
      select reason = 'signature_mismatch' as "isMismatch", sum(count)::float8 as count
      from ${refusal}
      where source = $1 and not reason = any($10::text[])
        and hour > ${ago(String(suspectDays), 'day')}
        and last_at > coalesce((select at from latest), '-infinity')
        and status in (${pausingStatuses.join(', ')})
      group by 1
    )
    select ${at} as "asOf",
      ${list(
        `select type, count from (
           select value as type, ${countSql(deadSql(entry, ago('$4::float8', 'day')))} as count
           from dead_type where value is not null
         ) dead where count > 0 order by type`,
      )} as dead,
      ${dueSinceSql(tables, queue)} as "dueSince",
      ${list(failingSql(entry, tables.job))} as failing,
      ${countSql(`select 1 from ${quarantine} where source = $1 and state = 'open'`)} as quarantined,
      ${countSql(`select 1 from ${entry}
        where ${isGap('missed', at)} and pulled_at > ${ago('$7::float8', 'hour')}
          and pulled_at > coalesce(${lastPauseEndSql(alert)}, '-infinity')
          and pulled_at <= (select at from latest)`)} as missed,
      ${countSql(`select 1 from ${entry} where ${isGap('missed', at)}
          and pulled_at > coalesce((select at from latest), '-infinity')`)} as unpushed,
      (select at from latest) as "lastPushAt",
      coalesce((select count from refused where "isMismatch"), 0) as mismatches,
      coalesce((select count from refused where not "isMismatch"), 0) as "otherRefusals",
      case when exists (select from refused)
        then ${usualQuietHoursSql(entry, at)} end as "usualQuietHours",
      ${list(
        `select old.secret, newer.secret as newer,
           extract(epoch from old.last_at - newer.first_at)::float8 / 3600 as hours
         from used old, lateral (
           select secret, first_at from used
           where first_at > old.first_at
             and first_at < old.last_at - $8::float8 * interval '1 hour'
           order by first_at limit 1
         ) newer
         where old.last_at > ${ago('24', 'hour')} order by old.secret`,
      )} as "oldSecrets",
      ${list(
        `select stream, max(code) as code from (
           select stream, code, until from ${streamGap} where source = $1 order by id desc limit 100
         ) gap where until > ${ago('$9::float8', 'hour')} group by stream order by stream`,
      )} as "streamGaps",
      ${list(
        `select type, paused_at as "pausedAt" from ${pause} where source = $1 order by paused_at`,
      )} as pauses,
      (select coalesce(json_agg(alert), '[]') from (${knownAlertsSql(alert)}) alert) as known,
      exists (select from ${alert} where source = $1 and ${isUntoldSql}) as "isUntold"`
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
      or (job.state < 'active' and job.start_after <= ${at} and ${queue.isOrdered ? isFirst(job) : 'true'})
  )`
}

/** Selects the entries of a `dead_type` that died since then. */
function deadSql(entry: string, since: string): string {
  return `select 1 from ${entry}
    where source = $1 and state = 'dead' and type = dead_type.value and handled_at > ${since}`
}

/** Counts an entry once, by its latest attempt, regardless of the number of attempts. */
function failingSql(entry: string, job: string): string {
  const since = ago('$5::float8', 'minute')
  return `select type, failed, (
      select count(*) from (
        select state, handled_at from ${entry} entry
        where entry.source = $1 and entry.state <> 'received' and entry.type = failing.type
        ${newestFirstSql} limit 10000
      ) ended
      where state = 'done' and handled_at > ${since}
    ) as done
    from (
      select type, count(*) as failed from (
        (select group_id as type from ${job}
         where name = $3 and state < 'active' and not blocked and state = 'retry'
           and start_after > ${at} and started_on > ${since} limit 5000)
        union all
        (select value as type from dead_type, lateral (${deadSql(entry, since)} limit 5000) dead)
      ) tried
      where type is not null group by type having count(*) >= $6::float8
    ) failing order by type`
}

/** Events that a pause kept out are reported with the pause, not again after it ends. */
function lastPauseEndSql(alert: string): string {
  return `(select coalesce(closed_at, 'infinity') from ${alert}
    where source = $1 and rule = 'probable_pause' and opened_at is not null
    order by id desc limit 1)`
}

/** SQL for the known alerts of the source `$1`. */
export function knownAlertsSql(alert: string): string {
  const ms = (column: string) => `(extract(epoch from ${column}) * 1000)::float8`
  return `select id, rule, subject, message, ${ms('noticed_at')} as "noticedAt",
      ${ms('opened_at')} as "openedAt", ${ms('calm_since')} as "calmSince", null as "closedAt"
    from ${alert} where source = $1 and closed_at is null order by id`
}

/** Whether an opened alert still needs a notification. Worded like its index. */
export const isUntoldSql = `opened_at is not null
  and (opening_told_at is null or (closed_at is not null and closing_told_at is null))`

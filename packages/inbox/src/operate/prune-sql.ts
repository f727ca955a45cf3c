import type { Tables } from '../entry/tables.ts'

// Parameters of all: $1 the source, $2 the days. Of slices: $3 the last entry of the previous
// slice, $4 the size. A slice returns how many entries it changed, where it ended, and whether more
// old ones may follow.
const cutoff = `now() - $2::float8 * interval '1 day'`

/** Polls read the newest page of the feed again, at any age, and must find its entries here. */
const keptEntries = 1_000

/**
 * Deletes the content of a slice, in the order of ids. It leaves the entries and their indexes
 * unchanged: it only locks an entry, so that nobody requeues it meanwhile.
 */
export function deleteBodiesSql({ entry, entryBody, entryRevision, effect }: Tables): string {
  return `with slice as materialized (
      select entry_id from ${entryBody} where entry_id > $3 order by entry_id limit $4
    ),
    old as materialized (
      select id from ${entry} entry join slice on id = entry_id
      where source = $1 and state in ('done', 'skipped') and handled_at < ${cutoff}
      for update of entry skip locked
    ),
    bodies as (delete from ${entryBody} using old where entry_id = old.id returning entry_id),
    revisions as (update ${entryRevision} set pull = null from old where entry_id = old.id),
    effects as (delete from ${effect} using old where entry_id = old.id)
    select (select count(*) from bodies) as changed, (select max(entry_id) from slice) as "end",
      exists (
        select from slice join ${entry} on id = entry_id where received_at < ${cutoff}
      ) as "goesOn"`
}

/**
 * Deletes a slice of entries that nothing has touched since the cutoff, in the order of ids, and
 * notes that in the sealed days that they belong to. It leaves entries of days that are not sealed.
 * Locks the days in their order, so that two calls do not deadlock.
 */
export function deleteEntriesSql({ entry, entryBody, sealedDay }: Tables): string {
  return `with slice as materialized (
      select id, received_at from ${entry} where id > $3 order by id limit $4
    ),
    old as materialized (
      select entry.id, type, state, push_count, pulled_at, (${dayOfSql(sealedDay)}) as day
      from ${entry} entry join slice on slice.id = entry.id
      where source = $1 and state in ('done', 'skipped')
        and greatest(handled_at, last_push_at, pulled_at, entry.received_at) < ${cutoff}
        and entry.received_at < (
          select received_at from ${entry} where source = $1
          order by received_at desc, id desc offset ${keptEntries - 1} limit 1
        )
      for update of entry skip locked
    ),
    bodies as (delete from ${entryBody} using old where entry_id = old.id and day is not null),
    deleted as (
      delete from ${entry} entry using old where entry.id = old.id and day is not null
      returning entry.id
    ),
    locked as materialized (
      select day as locked_day from ${sealedDay}
      where source = $1 and day in (select day from old) order by day for update
    ),
    noted as (
      update ${sealedDay} sealed set
        removed_count = sealed.removed_count + gone.count,
        removed_tests = sealed.removed_tests + gone.tests,
        removed_done = sealed.removed_done + gone.done,
        removed_pushed = sealed.removed_pushed + gone.pushed,
        removed_pulled = sealed.removed_pulled + gone.pulled,
        removed_deliveries = sealed.removed_deliveries + gone.deliveries,
        removed_at = now()
      from (
        select day, ${removedSql}
        from old join locked on locked_day = day
        where id in (select id from deleted) group by day
      ) gone
      where sealed.source = $1 and sealed.day = gone.day
    )
    select (select count(*) from deleted) as changed, (select max(id) from slice) as "end",
      exists (select from slice where received_at < ${cutoff}) as "goesOn"`
}

/** The sealed day that has counted an entry: see `DayRange`. */
function dayOfSql(sealedDay: string): string {
  return `select sealed.day from ${sealedDay} sealed
    where sealed.source = entry.source and sealed.upto_id >= entry.id
      and sealed.day >= (entry.received_at at time zone 'UTC')::date
    order by sealed.day limit 1`
}

const isEvent = "type <> 'destination_test'"
const removedSql = `count(*) as count,
  count(*) filter (where not (${isEvent})) as tests,
  count(*) filter (where ${isEvent} and state = 'done') as done,
  count(*) filter (where ${isEvent} and push_count > 0) as pushed,
  count(*) filter (where ${isEvent} and pulled_at is not null) as pulled,
  coalesce(sum(push_count) filter (where ${isEvent}), 0) as deliveries`

/** Deletes settled quarantine rows, and operations of people, from before the cutoff. */
export function deleteSettledSql({ quarantine, operation }: Tables): string {
  return `with settled as (
      delete from ${quarantine}
      where source = $1 and state <> 'open' and greatest(settled_at, last_seen_at) < ${cutoff}
    )
    delete from ${operation} where source = $1 and done_at < ${cutoff}`
}

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

/** Deletes a slice of entries that nothing has touched since the cutoff, in the order of ids. */
export function deleteEntriesSql({ entry, entryBody }: Tables): string {
  return `with slice as materialized (
      select id, received_at from ${entry} where id > $3 order by id limit $4
    ),
    old as materialized (
      select entry.id from ${entry} entry join slice on slice.id = entry.id
      where source = $1 and state in ('done', 'skipped')
        and greatest(handled_at, last_push_at, pulled_at, entry.received_at) < ${cutoff}
        and entry.received_at < (
          select received_at from ${entry} where source = $1
          order by received_at desc, id desc offset ${keptEntries - 1} limit 1
        )
      for update of entry skip locked
    ),
    bodies as (delete from ${entryBody} using old where entry_id = old.id),
    deleted as (delete from ${entry} entry using old where entry.id = old.id returning entry.id)
    select (select count(*) from deleted) as changed, (select max(id) from slice) as "end",
      exists (select from slice where received_at < ${cutoff}) as "goesOn"`
}

/** Deletes settled quarantine rows, and operations of people, from before the cutoff. */
export function deleteSettledSql({ quarantine, operation }: Tables): string {
  return `with settled as (
      delete from ${quarantine}
      where source = $1 and state <> 'open' and greatest(settled_at, last_seen_at) < ${cutoff}
    )
    delete from ${operation} where source = $1 and done_at < ${cutoff}`
}

import type { Database, Tx } from '@feed-receiver/database'
import type { InboxContext } from '../context.ts'
import type { Tables } from '../entry/tables.ts'
import { checkDays, checkOption, hasTimedOut } from '../errors.ts'
import type { OpenExtensions } from '../extension.ts'

export interface PruneOptions {
  /**
   * For how many days after its end an entry keeps its content.
   * @default 90
   */
  bytesAfterDays?: number
  /**
   * After how many days done and skipped entries are deleted, with all their data, and resolved
   * quarantine rows. At least 7. A later delivery of a deleted event counts as new, so choose more
   * days than the service can look back.
   * @default never
   */
  rowsAfterDays?: number | undefined
  /**
   * For how many days the counts of rejected deliveries are stored.
   * @default 90
   */
  historyAfterDays?: number
  /**
   * Only counts what would go, and changes nothing. An extension may keep some of these entries.
   * @default false
   */
  dryRun?: boolean
  /** Stops between two transactions once aborted. Committed work stays. */
  signal?: AbortSignal | undefined
}

/** How many entries `prune` has changed. */
export interface Pruned {
  /** Entries whose content was deleted. They keep their id and hash. */
  emptied: number
  /** Entries that were deleted. */
  deleted: number
}

type PruneContext = InboxContext & { extensions: OpenExtensions }

/** Until then pg-boss may still have a job of an entry. */
const minRowDays = 7
/** Polls read the newest page of the feed again, at any age, and must find its entries here. */
const keptEntries = 1_000

/**
 * Deletes content and entries that are older than the options say, one slice per transaction. An
 * entry without content keeps its id and hash, so that a repeated delivery is still a duplicate,
 * and different bytes are still detected. Received and dead entries stay whole. Errors:
 * `bad_option`, `extension_missing`.
 */
export async function prune(context: PruneContext, options: PruneOptions = {}): Promise<Pruned> {
  const { bytesAfterDays = 90, historyAfterDays = 90, rowsAfterDays, signal } = options
  const { dryRun = false } = options
  checkDays('bytesAfterDays', bytesAfterDays)
  checkDays('historyAfterDays', historyAfterDays)
  if (rowsAfterDays !== undefined) {
    checkDays('rowsAfterDays', rowsAfterDays)
    const hint = `rowsAfterDays: use ${minRowDays} or more, because the queue stores jobs that long.`
    checkOption(rowsAfterDays >= minRowDays, hint)
  }
  if (dryRun) return await countOld(context, bytesAfterDays, rowsAfterDays, signal)
  const { database, tables, source } = context
  const oldHistory = `delete from ${tables.rejection} where source = $1 and last_at < ${cutoff}`
  await database.query(oldHistory, [source, historyAfterDays])
  const deleted = rowsAfterDays === undefined ? 0 : await deleteRows(context, rowsAfterDays, signal)
  const emptied = await inSlices(database, signal, (tx, size, behind) =>
    deleteBodies(tx, tables, [source, bytesAfterDays, behind, size]),
  )
  return { emptied, deleted }
}

/** Counts slice by slice, too, and entries that would go whole not again by their content. */
async function countOld(
  { database, tables, source }: PruneContext,
  bytesAfterDays: number,
  rowsAfterDays: number | undefined,
  signal: AbortSignal | undefined,
): Promise<Pruned> {
  const { entry, entryBody } = tables
  let deleted = 0
  const emptied = await inSlices(database, signal, async (tx, size, behind) => {
    const { rows } = await tx.query<Slice & { deleted: number }>(
      `with slice as materialized (
         select * from ${entry} where id > $3 order by id limit $4
       ),
       old as materialized (
         select id, ($5::float8 is not null and ${isOldRow(tables, '$5')}) as "isRow",
           handled_at < ${cutoff} and exists (
             select from ${entryBody} where entry_id = entry.id
           ) as "hasOldBody"
         from slice entry where source = $1 and state in ('done', 'skipped')
       )
       select (select count(*) from old where "hasOldBody" and not "isRow") as changed,
         (select count(*) from old where "isRow") as deleted, (select max(id) from slice) as "end",
         exists (
           select from slice where received_at < ${cutoffOf('least($2::float8, $5)')}
         ) as "goesOn"`,
      [source, bytesAfterDays, behind, size, rowsAfterDays],
    )
    deleted += rows[0]?.deleted ?? 0
    return rows[0] ?? noSlice
  })
  return { emptied, deleted }
}

async function deleteRows(
  { database, tables, source, extensions }: PruneContext,
  days: number,
  signal?: AbortSignal,
): Promise<number> {
  await maintain(extensions, signal)
  const deleted = await inSlices(database, signal, async (tx, size, behind) => {
    const { ids, ...slice } = await findOld(tx, tables, [source, days, behind, size])
    const free = await extensions.beforeDelete(tx, ids)
    return { ...slice, changed: await deleteEntries(tx, tables, free) }
  })
  if (!signal?.aborted) await database.query(deleteResolvedSql(tables), [source, days])
  return deleted
}

/** Lets extensions catch up, so that old entries are free to go. Rejects with their first error. */
async function maintain(extensions: OpenExtensions, signal?: AbortSignal): Promise<void> {
  const errors: unknown[] = []
  await extensions.maintain({
    signal: signal ?? new AbortController().signal,
    isPruning: true,
    onError: (error) => errors.push(error),
  })
  if (errors.length > 0) throw errors[0]
}

/** The most and the fewest entries per transaction. On a cold disk, more may time out. */
const largest = 1_000
const smallest = 10

interface Slice {
  changed: number
  /** The last entry that was read; null if none is left. */
  end: number | null
  /** Whether more old entries may follow. */
  goesOn: boolean
}

const noSlice: Slice = { changed: 0, end: null, goesOn: false }

/**
 * Runs a function slice by slice, each in a transaction, whose statements the server ends in time.
 * Retries a slice that timed out with half as many entries.
 */
async function inSlices(
  database: Database,
  signal: AbortSignal | undefined,
  run: (tx: Tx, size: number, behind: number) => Promise<Slice>,
): Promise<number> {
  let changed = 0
  let size = largest
  for (let behind = 0; ;) {
    if (signal?.aborted) return changed
    const slice = await database
      .tx((tx) => run(tx, size, behind))
      .catch((error: unknown) => {
        if (!hasTimedOut(error) || size <= smallest) throw error
        return null
      })
    if (!slice) {
      size = Math.max(Math.floor(size / 2), smallest)
      continue
    }
    changed += slice.changed
    if (slice.end === null || !slice.goesOn) return changed
    behind = slice.end
    size = Math.min(size * 2, largest)
  }
}

// Parameters of all: $1 the source, $2 the days. Of slices: $3 the last entry of the previous
// slice, $4 the size.
const cutoff = cutoffOf('$2')

function cutoffOf(days: string): string {
  return `now() - ${days}::float8 * interval '1 day'`
}

/** Whether nothing has touched an `entry` for some days, and it is none of the newest. */
function isOldRow({ entry }: Tables, days: string): string {
  return `greatest(handled_at, last_push_at, pulled_at, entry.received_at) < ${cutoffOf(days)}
    and entry.received_at < (
      select received_at from ${entry} where source = $1
      order by received_at desc, id desc offset ${keptEntries - 1} limit 1
    )`
}

/**
 * Deletes the content of a slice, in the order of ids. It leaves the entries and their indexes
 * unchanged: it only locks an entry, so that nobody requeues it meanwhile.
 */
async function deleteBodies(
  tx: Tx,
  { entry, entryBody, entryRevision, effect }: Tables,
  values: unknown[],
): Promise<Slice> {
  const text = `with slice as materialized (
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
  const { rows } = await tx.query<Slice>(text, values)
  return rows[0] ?? noSlice
}

/** Locks the entries of a slice that nothing has touched since the cutoff, in the order of ids. */
async function findOld(
  tx: Tx,
  tables: Tables,
  values: unknown[],
): Promise<Omit<Slice, 'changed'> & { ids: number[] }> {
  const { entry } = tables
  const text = `with slice as materialized (
      select id, received_at from ${entry} where id > $3 order by id limit $4
    ),
    old as materialized (
      select entry.id from ${entry} entry join slice on slice.id = entry.id
      where source = $1 and state in ('done', 'skipped') and ${isOldRow(tables, '$2')}
      for update of entry skip locked
    )
    select array(select id from old) as ids, (select max(id) from slice) as "end",
      exists (select from slice where received_at < ${cutoff}) as "goesOn"`
  const { rows } = await tx.query<Omit<Slice, 'changed'> & { ids: number[] }>(text, values)
  return rows[0] ?? { ids: [], end: null, goesOn: false }
}

async function deleteEntries(
  tx: Tx,
  { entry, entryBody }: Tables,
  ids: readonly number[],
): Promise<number> {
  if (ids.length === 0) return 0
  await tx.query(`delete from ${entryBody} where entry_id = any($1::bigint[])`, [ids])
  const { rowCount } = await tx.query(`delete from ${entry} where id = any($1::bigint[])`, [ids])
  return rowCount ?? 0
}

/** Deletes resolved quarantine rows, and operations of people, from before the cutoff. */
function deleteResolvedSql({ quarantine, operation }: Tables): string {
  return `with resolved as (
      delete from ${quarantine}
      where source = $1 and state <> 'open' and greatest(resolved_at, last_seen_at) < ${cutoff}
    )
    delete from ${operation} where source = $1 and done_at < ${cutoff}`
}

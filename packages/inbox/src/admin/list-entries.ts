import { checkOption } from '../errors.ts'
import type { Queryable } from '@feed-receiver/database'
import { findConditions, isFailing, matchingSql } from '../entry/entry-filter.ts'
import type { Conditions, EntryFilter, EntryState } from '../entry/entry-filter.ts'
import { checkPageSize, readPage } from './page.ts'
import type { Page, PageOf, PageOptions } from './page.ts'
import { boundedCount, isBehindSql, isoTime, newestFirstSql } from '../entry/sql.ts'
import type { BoundedCount } from '../entry/sql.ts'
import type { InboxContext } from '../context.ts'
import { listedJobSql, readListedJob, type ListedJob } from './listed-job.ts'
import type { KnownJob } from './listed-job.ts'
import { searchBounded } from './bounded-search.ts'

export interface ListEntriesOptions extends EntryFilter, PageOptions {}

export interface CountOptions {
  /**
   * Where to stop counting.
   * @default 100_000
   */
  upTo?: number
}

/** An entry as a list shows it. Times are ISO 8601 in UTC. */
export interface EntryRow {
  id: number
  eventId: string
  state: EntryState
  type: string
  provider: string
  category: string
  subjectType: string | null
  subjectKey: string | null
  title: string
  confirmation: string
  notes: string[]
  /** When the service first observed the event. */
  createdAt: string
  receivedAt: string
  handledAt: string | null
  pushCount: number
  /** Whether its last attempt failed and it waits for a retry: the state `failing` of a filter. */
  isFailing: boolean
  /**
   * Its latest job, while it is received or dead; null for other entries in a list, and once the
   * queue has deleted it.
   */
  job: ListedJob | null
}

export interface EntryPage extends PageOf<'entries', EntryRow> {
  /**
   * Null if everything was searched. Otherwise the search stopped at this time, because it would have
   * taken too long: pass `next` as `after` to search further back.
   */
  searchedBackTo: string | null
}

/**
 * How long a full list or count may take before it is limited to the newest entries, in
 * milliseconds.
 */
const listTimeoutMs = 100
const countTimeoutMs = 500

export const entryRowColumns = `
  id, event_id as "eventId", state, type, provider, category, subject_type as "subjectType",
  subject_key as "subjectKey", title, confirmation, notes, ${isoTime('created_at')} as "createdAt",
  ${isoTime('received_at')} as "receivedAt", ${isoTime('handled_at')} as "handledAt",
  push_count as "pushCount"`

/** One page of entries, newest first. New entries never shift the following pages. */
export async function listEntries(
  context: InboxContext,
  options: ListEntriesOptions = {},
): Promise<EntryPage> {
  const { after = null, limit = 50, ...filter } = options
  checkPageSize(limit)
  const { found, edge } = await searchBounded(
    context,
    await findConditions(context, filter),
    { timeoutMs: listTimeoutMs, after, isEnough: (page: Page) => page.next !== null },
    (db, conditions) => readRows(db, context, conditions, { after, limit }),
  )
  const { rows, next } = found
  const entries = rows.map(({ job, ...row }) => {
    const listed = readListedJob(job)
    return { ...row, isFailing: isFailing(row, listed), job: listed }
  })
  if (!edge || next !== null) return { entries, next, searchedBackTo: null }
  return { entries, next: edge.id, searchedBackTo: edge.receivedAt }
}

async function readRows(
  db: Queryable,
  { tables }: InboxContext,
  { parts, values }: Conditions,
  { after, limit }: { after: number | null; limit: number },
) {
  const isBehind = isBehindSql(tables.entry, 'received_at', '<', `$${values.length + 1}`)
  const matching = matchingSql(
    tables,
    parts.map((part) => `${part} and ${isBehind}`),
    `${newestFirstSql} limit ${limit + 1}`,
  )
  return await readPage<Omit<EntryRow, 'isFailing' | 'job'> & { job: KnownJob | null }>(
    db,
    limit,
    `select ${entryRowColumns}, job from ${matching} entry
     left join lateral (${listedJobSql(tables)}) latest on true
     ${newestFirstSql}`,
    [...values, after],
  )
}

/** Counts entries. If that takes too long, it counts only among the newest, and inexactly. */
export async function countEntries(
  context: InboxContext,
  filter: EntryFilter = {},
  options: CountOptions = {},
): Promise<BoundedCount> {
  const { upTo = 100_000 } = options
  checkOption(Number.isInteger(upTo) && upTo >= 1, 'upTo: use a whole number from 1.')
  const conditions = await findConditions(context, filter)
  const { found, edge } = await searchBounded(
    context,
    conditions,
    { timeoutMs: countTimeoutMs, isEnough: ({ isExact }: BoundedCount) => !isExact },
    (db, narrowed) => countMatching(context, narrowed, upTo, db),
  )
  return edge ? { ...found, isExact: false } : found
}

export async function countMatching(
  { database, tables }: InboxContext,
  { parts, values }: Conditions,
  upTo: number,
  db: Queryable = database,
): Promise<BoundedCount> {
  const ofParts = parts.map((part) => `select 1 from ${tables.entry} where ${part}`)
  const { rows } = await db.query<{ count: number }>(
    `select count(*) as count
     from (${ofParts.join(' union all ')} limit $${values.length + 1}) counted`,
    [...values, upTo + 1],
  )
  return boundedCount(rows[0]?.count, upTo)
}

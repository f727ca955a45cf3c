import { setTimeout as delay } from 'node:timers/promises'
import { registerExtension } from '@feed-receiver/inbox/internal'
import type { InboxStore } from '@feed-receiver/inbox/extend'
import { dayAfter, firstHead, headOf } from './day.ts'
import { auditTables, auditTablesOf } from './tables.ts'
import { walkDay } from './walk-day.ts'

export interface SealOptions {
  /**
   * How long to wait for transactions in progress, in milliseconds.
   * @default 0
   */
  waitMs?: number
  signal?: AbortSignal | undefined
}

/** How long an audit or a prune waits for transactions that keep days from being sealed. */
export const sealWaitMs = 5_000
/** A day may end a little later by the clocks of other processes. */
const graceMinutes = 10
const pollMs = 100

/**
 * Seals the days that have ended: counts and hashes their entries, and chains them to the day
 * before. Returns whether every ended day is sealed. Safe in several processes at once: the first
 * to insert a day wins, and the others continue from its row.
 */
export type SealDays = (options?: SealOptions) => Promise<boolean>

/** A call that still waits for transactions leaves its mark to the next one. */
export function createSealing(context: InboxStore): SealDays {
  // Taken after the day ended, or entries of the day would lie behind it.
  let mark: Mark | undefined

  return async ({ waitMs = 0, signal } = {}) => {
    let next = await findNext(context)
    if (!next) return true
    // Before the first seal, or `prune` could delete sealed entries without a note of it.
    await registerExtension(context, auditTables.name)
    const { today } = next
    if (mark?.today !== today) mark = await markLatest(context, today)
    const { uptoId, writers } = mark
    if (!(await waitForWriters(context, writers, waitMs, signal))) return false
    while (next) {
      // Another day may have ended since the mark.
      if (signal?.aborted || next.today !== today) return false
      next = await sealDay(context, next, Math.max(uptoId, next.afterId))
    }
    mark = undefined
    return true
  }
}

/**
 * Waits until every transaction that was writing at a mark has ended, so that no entry up to it can
 * still appear; false if one goes on. It takes no lock, so nothing waits for it.
 */
async function waitForWriters(
  context: InboxStore,
  writers: readonly string[],
  waitMs: number,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const givesUpAt = performance.now() + waitMs
  for (;;) {
    const writing = writers.length === 0 ? [] : await findWriters(context)
    if (!writing.some((writer) => writers.includes(writer))) return true
    if (performance.now() >= givesUpAt || signal?.aborted) return false
    await delay(pollMs)
  }
}

interface NextDay {
  day: string
  /** The first day that has not ended. */
  today: string
  afterId: number
  head: string
}

/** The day to seal next; undefined if every ended day is sealed. */
async function findNext({ database, tables, source }: InboxStore): Promise<NextDay | undefined> {
  const { rows } = await database.query<{
    sealed: { day: string; uptoId: number; head: string } | null
    first: string | null
    today: string
  }>(
    `select (
       select json_build_object('day', day, 'uptoId', upto_id, 'head', encode(head, 'hex'))
       from ${auditTablesOf({ tables }).sealedDay} where source = $1 order by day desc limit 1
     ) as sealed,
     to_char(min(received_at) at time zone 'UTC', 'YYYY-MM-DD') as first,
     to_char((now() - interval '${graceMinutes} minutes') at time zone 'UTC', 'YYYY-MM-DD') as today
     from ${tables.entry} where source = $1`,
    [source],
  )
  const { sealed = null, first = null, today = '' } = rows[0] ?? {}
  const day = sealed ? dayAfter(sealed.day) : first
  if (day === null || day >= today) return undefined
  return { day, today, afterId: sealed?.uptoId ?? 0, head: sealed?.head ?? firstHead }
}

interface Seal {
  day: string
  count: number
  digest: string
  head: string
}

/**
 * Seals this day and, if it is empty, the empty days that follow it. Returns the day after them to
 * seal, if that has ended.
 */
async function sealDay(
  context: InboxStore,
  { day, today, afterId, head }: NextDay,
  uptoId: number,
): Promise<NextDay | undefined> {
  const { count, digest } = await walkDay(context, { day, afterId, uptoId })
  let last: Seal = { day, count, digest, head: headOf(head, day, count, digest) }
  const seals = [last]
  let following = dayAfter(day)
  if (count === 0) {
    const end = (await findDayWithEntries(context, following, today, uptoId)) ?? today
    for (; following < end; following = dayAfter(following)) {
      last = { day: following, count, digest, head: headOf(last.head, following, count, digest) }
      seals.push(last)
    }
  }
  if (!(await insertSeals(context, seals, uptoId))) return await findNext(context)
  return following < today ? { day: following, today, afterId: uptoId, head: last.head } : undefined
}

/** The first day with entries up to this id, from one day until before another. */
async function findDayWithEntries(
  { database, tables, source }: InboxStore,
  from: string,
  before: string,
  uptoId: number,
): Promise<string | undefined> {
  const { rows } = await database.query<{ day: string }>(
    `select to_char(received_at at time zone 'UTC', 'YYYY-MM-DD') as day from ${tables.entry}
     where source = $1 and received_at >= $2::timestamptz and received_at < $3::timestamptz
       and id + 0 <= $4::bigint
     order by received_at limit 1`,
    [source, `${from}T00:00:00Z`, `${before}T00:00:00Z`, uptoId],
  )
  return rows[0]?.day
}

/** False, and inserts none, if another process has sealed the first of the days. */
async function insertSeals(
  { database, tables, source }: InboxStore,
  [first, ...others]: readonly Seal[],
  uptoId: number,
): Promise<boolean> {
  const select = (parameter: string) =>
    `select $1, day, $2::bigint, count, decode(digest, 'hex'), decode(head, 'hex')
     from json_to_recordset(${parameter}::json) as seal
       (day date, count bigint, digest text, head text)`
  const columns = '(source, day, upto_id, entry_count, digest, head)'
  const { rowCount } = await database.query(
    `with first as (
       insert into ${auditTablesOf({ tables }).sealedDay} ${columns} ${select('$3')}
       on conflict (source, day) do nothing returning day
     ), others as (
       insert into ${auditTablesOf({ tables }).sealedDay} ${columns} ${select('$4')}
       where exists (select from first)
     )
     select from first`,
    [source, uptoId, JSON.stringify([first]), JSON.stringify(others)],
  )
  return rowCount === 1
}

/** An entry id, and the transactions that may still store an entry with a smaller one. */
interface Mark {
  today: string
  uptoId: number
  writers: string[]
}

/**
 * Reads the latest entry id, and then the transactions that write to the table. A transaction locks
 * the table before it gets an id, so it has ended by then or is among them.
 */
async function markLatest(context: InboxStore, today: string): Promise<Mark> {
  const { rows } = await context.database.query<{ uptoId: number }>(
    `select coalesce(max(id), 0) as "uptoId" from ${context.tables.entry}`,
  )
  return { today, uptoId: rows[0]?.uptoId ?? 0, writers: await findWriters(context) }
}

/** The transactions that hold the lock of an insert, an update or a delete. */
async function findWriters({ database, tables }: InboxStore): Promise<string[]> {
  // The embedded database runs one transaction at a time.
  if (database.kind === 'pglite') return []
  const { rows } = await database.query<{ writer: string }>(
    `select distinct virtualtransaction as writer from pg_locks
     where locktype = 'relation' and relation = '${tables.entry}'::regclass
       and database = (select oid from pg_database where datname = current_database())
       and mode = 'RowExclusiveLock' and granted`,
  )
  return rows.map(({ writer }) => writer)
}

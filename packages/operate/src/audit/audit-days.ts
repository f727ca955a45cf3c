import { isoTime } from '@feed-receiver/inbox/internal'
import type { InboxStore } from '@feed-receiver/inbox/extend'
import { dayAfter, firstHead, headOf } from './day.ts'
import type { AuditPeriod } from './period.ts'
import { auditTablesOf } from './tables.ts'
import { addCounts, sliceCountsSql, type AuditCounts } from './counts.ts'
import { walkDay, type WalkedDay } from './walk-day.ts'

/** One day of a statement, in UTC. */
export interface AuditDay {
  day: string
  /** How many entries were sealed; null if the day is not sealed. */
  sealed: number | null
  sealedAt: string | null
  /** How many of its entries the database has now. */
  found: number
  /** Entries among them whose time is on an earlier day, which was already sealed. */
  late: number
  /** How many entries retention has deleted, and when it last did. */
  removed: number
  removedAt: string | null
  /** The head of the chain after this day, in hex: as sealed, or as computed for an open day. */
  head: string
  /**
   * `rows`: its entries are not those that were sealed. `seal`: its head does not follow from that
   * of the day before. `missing`: its seal was deleted.
   */
  fault: 'rows' | 'seal' | 'missing' | null
}

/** The days of a period with their entries. */
export interface AuditedDays {
  days: AuditDay[]
  counts: AuditCounts
  /** The heads of the chain before and after the period, in hex. */
  previousHead: string
  head: string
}

/** Counts the entries of a period day by day, and recomputes their chain. Changes nothing. */
export async function auditDays(context: InboxStore, period: AuditPeriod): Promise<AuditedDays> {
  const sealed = await readSealed(context, period)
  const counts: AuditCounts[] = []
  const days: AuditDay[] = []
  const start = await findStart(context, period, sealed)
  let previous: string | null = start.previous
  let { afterId } = start
  for (let { day } = start; day <= period.lastDay; day = dayAfter(day)) {
    const { row, walked } = await readDay(context, day, afterId, sealed.byDay.get(day))
    const mustBeSealed = sealed.last !== null && day < sealed.last
    const compared = compareDay(day, walked, row, previous, mustBeSealed)
    days.push(compared)
    counts.push(...walked.slices)
    if (row) counts.push(countRemoved(row))
    previous = compared.fault === 'missing' ? null : compared.head
    afterId = row?.uptoId ?? null
  }
  const head = days.at(-1)?.head ?? start.previous
  return { days, counts: addCounts(counts), previousHead: start.previous, head }
}

/** Reads the entries of a day. Reads them again if retention has deleted some since `row` was read. */
async function readDay(
  context: InboxStore,
  day: string,
  afterId: number | null,
  row: SealedDay | undefined,
): Promise<{ row: SealedDay | undefined; walked: WalkedDay<AuditCounts> }> {
  const range = { day, afterId, uptoId: row?.uptoId ?? null }
  const walked = await walkDay<AuditCounts>(context, range, sliceCountsSql(context))
  if (row && !isWhole(walked, row)) {
    const [now] = await readSealedDays(context, day, day)
    if (now && now.removed.removed !== row.removed.removed) {
      return await readDay(context, day, afterId, now)
    }
  }
  return { row, walked }
}

interface Start {
  /** The first day to audit; behind the period if no day of it has entries. */
  day: string
  previous: string
  afterId: number | null
}

/** Where the chain of a period begins. Computes days before it that are not sealed. */
async function findStart(
  context: InboxStore,
  period: AuditPeriod,
  sealed: SealedDays,
): Promise<Start> {
  const { known, first, firstEntry } = sealed
  let previous = known?.head ?? firstHead
  let afterId: number | null = known?.uptoId ?? 0
  let day = known ? dayAfter(known.day) : (first ?? firstEntry)
  if (day === null) return { day: dayAfter(period.lastDay), previous, afterId }
  // The seal before the period is missing, so the first one of the period shows that.
  if (!known && first !== null && first < period.firstDay) day = period.firstDay
  for (; day < period.firstDay; day = dayAfter(day)) {
    const { count, digest } = await walkDay(context, { day, afterId, uptoId: null })
    previous = headOf(previous, day, count, digest)
    afterId = null
  }
  return { day, previous, afterId }
}

/** Retention deletes only done and skipped entries. */
function countRemoved({ removed }: SealedDay): AuditCounts {
  const events = removed.removed - removed.testDeliveries
  return {
    ...addCounts([]),
    ...removed,
    accepted: removed.removed,
    events,
    pullOnly: events - removed.pushed,
    skipped: events - removed.done,
    duplicates: removed.deliveries - removed.pushed,
  }
}

/**
 * Compares the entries of a day with its seal. `previous` is the head of the day before; null if
 * its seal is missing.
 */
function compareDay(
  day: string,
  walked: WalkedDay,
  row: SealedDay | undefined,
  previous: string | null,
  mustBeSealed: boolean,
): AuditDay {
  const { count: found, late, digest } = walked
  return {
    day,
    found,
    late,
    sealed: row?.count ?? null,
    sealedAt: row?.sealedAt ?? null,
    removed: row?.removed.removed ?? 0,
    removedAt: row?.removedAt ?? null,
    head: row?.head ?? headOf(previous ?? '', day, found, digest),
    fault: faultOf(),
  }

  function faultOf(): AuditDay['fault'] {
    if (!row) return mustBeSealed ? 'missing' : null
    if (!isWhole(walked, row)) return 'rows'
    if (previous === null) return null
    return headOf(previous, day, row.count, row.digest) === row.head ? null : 'seal'
  }
}

/** Whether a day still has the entries that were sealed, apart from those that retention deleted. */
function isWhole({ count, digest }: WalkedDay, row: SealedDay): boolean {
  const { removed } = row.removed
  // Without the deleted entries, the hash over all of them cannot be computed again.
  return count + removed === row.count && (removed > 0 || digest === row.digest)
}

/** A row of `sealed_day`. Hashes are in hex. */
interface SealedDay {
  day: string
  uptoId: number
  count: number
  digest: string
  head: string
  sealedAt: string
  /** What retention has deleted of it. */
  removed: Pick<
    AuditCounts,
    'removed' | 'testDeliveries' | 'done' | 'pushed' | 'pulled' | 'deliveries'
  >
  removedAt: string | null
}

interface SealedDays {
  byDay: Map<string, SealedDay>
  /** The day from which the chain of the period continues. */
  known: SealedDay | undefined
  /** The first and the latest sealed day of all; null if no day is sealed. */
  first: string | null
  last: string | null
  /** The day of the earliest entry; null if there is none. */
  firstEntry: string | null
}

/** Reads the sealed days of a period, and the one from which its chain continues. */
async function readSealed(context: InboxStore, period: AuditPeriod): Promise<SealedDays> {
  const { database, tables, source } = context
  const { sealedDay } = auditTablesOf(context)
  const { rows: ends } = await database.query<Omit<SealedDays, 'byDay' | 'known'>>(
    `select to_char(min(day), 'YYYY-MM-DD') as first, to_char(max(day), 'YYYY-MM-DD') as last, (
       select to_char(min(received_at) at time zone 'UTC', 'YYYY-MM-DD')
       from ${tables.entry} where source = $1
     ) as "firstEntry"
     from ${sealedDay} where source = $1`,
    [source],
  )
  const { first = null, last = null, firstEntry = null } = ends[0] ?? {}
  const before = dayAfter(period.firstDay, -1)
  const from = last !== null && last < before ? last : before
  const rows = await readSealedDays(context, from, period.lastDay)
  const byDay = new Map(rows.map((row) => [row.day, row]))
  return { byDay, known: byDay.get(from), first, last, firstEntry }
}

async function readSealedDays(context: InboxStore, from: string, to: string): Promise<SealedDay[]> {
  const { rows } = await context.database.query<SealedDay>(
    `select to_char(day, 'YYYY-MM-DD') as day, upto_id as "uptoId", entry_count as count,
       encode(digest, 'hex') as digest, encode(head, 'hex') as head,
       ${isoTime('sealed_at')} as "sealedAt", ${isoTime('removed_at')} as "removedAt",
       json_build_object(
         'removed', removed_count, 'testDeliveries', removed_tests, 'done', removed_done,
         'pushed', removed_pushed, 'pulled', removed_pulled, 'deliveries', removed_deliveries
       ) as removed
     from ${auditTablesOf(context).sealedDay}
     where source = $1 and day >= $2::date and day <= $3::date
     order by day`,
    [context.source, from, to],
  )
  return rows
}

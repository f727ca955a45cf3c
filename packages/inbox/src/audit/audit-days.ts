import type { InboxStore } from '../context.ts'
import { dayAfter, firstHead, headOf } from '../seal/day.ts'
import { walkDay } from '../seal/walk-day.ts'
import { judgeDay, type AuditDay } from './judge-day.ts'
import type { AuditPeriod } from './period.ts'
import { readSealed, type SealedDay, type SealedDays } from './read-sealed.ts'
import { addCounts, noCounts, tallySql, type AuditCounts } from './tally.ts'

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
  const columns = tallySql(context)
  const counts: AuditCounts[] = []
  const days: AuditDay[] = []
  const start = await findStart(context, period, sealed)
  let previous: string | null = start.previous
  let { afterId } = start
  for (let { day } = start; day <= period.lastDay; day = dayAfter(day)) {
    const row = sealed.byDay.get(day)
    const range = { day, afterId, uptoId: row?.uptoId ?? null }
    const walked = await walkDay<AuditCounts>(context, range, columns, (one) => counts.push(one))
    const judged = judgeDay(day, walked, row, previous, sealed.last !== null && day < sealed.last)
    days.push(judged)
    if (row) counts.push(countRemoved(row))
    previous = judged.fault === 'missing' ? null : judged.head
    afterId = row?.uptoId ?? null
  }
  const head = days.at(-1)?.head ?? start.previous
  return { days, counts: addCounts(counts), previousHead: start.previous, head }
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
  const { byDay, first, last, firstEntry } = sealed
  const before = dayAfter(period.firstDay, -1)
  const known = byDay.get(last !== null && last < before ? last : before)
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
    ...noCounts(),
    ...removed,
    accepted: removed.removed,
    events,
    pullOnly: events - removed.pushed,
    skipped: events - removed.done,
    duplicates: removed.deliveries - removed.pushed,
  }
}

import { checkOption } from '../errors.ts'
import { dayAfter } from './day.ts'

/** A month in UTC, or the part of it that is over. Days are like `2026-11-30`. */
export interface AuditPeriod {
  /** Like `2026-11`. */
  month: string
  firstDay: string
  /** The last day of the report: today in a month that has not ended. */
  lastDay: string
  /** The beginning of the month; ISO 8601 in UTC. */
  from: string
  /** The end of the month, or the time of the report if that is earlier. */
  until: string
  /** Whether the month has not ended. */
  isPartial: boolean
}

/** Reads a month; without one, the latest that has ended. Errors: `bad_option`. */
export function readPeriod(given: string | undefined, now: string): AuditPeriod {
  const today = now.slice(0, 10)
  const month = given ?? monthOf(dayAfter(`${monthOf(today)}-01`, -1))
  const isMonth = /^\d{4}-(?:0[1-9]|1[0-2])$/.test(month) && month >= '1970-01'
  checkOption(isMonth, 'month: use a year and a month, such as 2026-11.')
  checkOption(month <= monthOf(today), `month: ${month} has not begun in UTC. Use an earlier one.`)
  const firstDay = `${month}-01`
  const next = `${monthOf(dayAfter(firstDay, 31))}-01`
  const isPartial = today < next
  return {
    month,
    firstDay,
    lastDay: isPartial ? today : dayAfter(next, -1),
    from: `${firstDay}T00:00:00.000Z`,
    until: isPartial ? now : `${next}T00:00:00.000Z`,
    isPartial,
  }
}

function monthOf(day: string): string {
  return day.slice(0, 7)
}

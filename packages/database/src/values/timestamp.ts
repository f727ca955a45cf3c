import { DatabaseError, say } from '../errors.ts'

const pattern =
  /^(\d{4,})-(\d\d)-(\d\d) (\d\d):(\d\d):(\d\d)(?:\.(\d{1,6}))?([+-]\d\d)(?::(\d\d))?(?::(\d\d))?( BC)?$/

/**
 * A timestamptz as the server prints it. An Invalid Date for `infinity`, which no Date can hold.
 * Errors: `date_style`.
 */
export function parseTimestamp(text: string): Date {
  const match = pattern.exec(text)
  if (!match) {
    if (/^-?infinity$/.test(text)) return new Date(Number.NaN)
    // Of the other styles some cannot be told from each other.
    throw new DatabaseError('date_style', say('date_style'))
  }
  const part = (index: number) => Number(match[index] ?? 0)
  const milliseconds = Number((match[7] ?? '').slice(0, 3).padEnd(3, '0'))
  const offset = Math.abs(part(8)) * 3600 + part(9) * 60 + part(10)
  const offsetSeconds = match[8]?.startsWith('-') ? -offset : offset

  // Date.UTC would read the years 0 to 99 as 1900 to 1999.
  const date = new Date(0)
  date.setUTCFullYear(match[11] ? 1 - part(1) : part(1), part(2) - 1, part(3))
  date.setUTCHours(part(4), part(5), part(6) - offsetSeconds, milliseconds)
  return date
}

/** Spells a valid Date as the server reads it: years beyond 9999 without a sign, BC as a suffix. */
export function formatTimestamp(date: Date): string {
  const iso = date.toISOString()
  const year = date.getUTCFullYear()
  const digits = String(year > 0 ? year : 1 - year).padStart(4, '0')
  return digits + iso.slice(iso.indexOf('-', 1)) + (year > 0 ? '' : ' BC')
}

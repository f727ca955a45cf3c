/**
 * Reads a `Retry-After` value: whole seconds, or an HTTP-date in any of its three forms (RFC 9110,
 * 5.6.7), which is measured against `nowMs` (epoch milliseconds).
 *
 * @returns milliseconds to wait, more than 0 and without a cap, or null where the value is missing,
 * garbled, zero, negative or past, and so to be ignored (R236).
 */
export function parseRetryAfter(value: string | undefined, nowMs: number): number | null {
  if (value === undefined) return null
  const text = value.trim()
  const waitMs = /^\d+$/.test(text) ? Number(text) * 1000 : parseHttpDate(text, nowMs) - nowMs
  return waitMs > 0 ? waitMs : null
}

// Spelt out, since Date.parse takes a date for almost anything: `Date.parse('apples 5')` is in 2001.
const day = '(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)'
const longDay = '(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day'
const time = String.raw`(?<hour>\d\d):(?<minute>\d\d):(?<second>\d\d)`
const forms = [
  String.raw`${day}, (?<date>\d\d) (?<month>[A-Z][a-z]{2}) (?<year>\d{4}) ${time} GMT`,
  String.raw`${longDay}, (?<date>\d\d)-(?<month>[A-Z][a-z]{2})-(?<year>\d\d) ${time} GMT`,
  String.raw`${day} (?<month>[A-Z][a-z]{2}) (?<date>[ \d]\d) ${time} (?<year>\d{4})`,
].map((form) => new RegExp(`^${form}$`))

const months = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ')

/** Epoch milliseconds, or NaN. */
function parseHttpDate(text: string, nowMs: number): number {
  const parts = forms.map((form) => form.exec(text)?.groups).find((groups) => groups !== undefined)
  if (!parts) return Number.NaN
  const month = months.indexOf(parts['month'] ?? '')
  const date = Number(parts['date'])
  const [hour, minute, second] = [parts['hour'], parts['minute'], parts['second']].map(Number)
  if (hour === undefined || minute === undefined || second === undefined) return Number.NaN
  if (month < 0 || hour > 23 || minute > 59 || second > 60) return Number.NaN
  const atMs = Date.UTC(fullYear(parts['year'] ?? '', nowMs), month, date, hour, minute, second)
  const isRealDay = new Date(atMs - second * 1000).getUTCDate() === date
  return isRealDay ? atMs : Number.NaN
}

/** A year of two digits that seems more than 50 years ahead means the past century. */
function fullYear(year: string, nowMs: number): number {
  if (year.length > 2) return Number(year)
  const thisYear = new Date(nowMs).getUTCFullYear()
  const guess = thisYear - (thisYear % 100) + Number(year)
  return guess > thisYear + 50 ? guess - 100 : guess
}

import { UsageError } from '../errors.ts'

export interface CountLimits {
  /** @default 1 */
  least?: number
  most?: number
}

export function parseCount(text: string, name: string, limits: CountLimits = {}): number {
  const { least = 1, most = Infinity } = limits
  const count = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
  if (count >= least && count <= most) return count
  const range = most === Infinity ? `of ${least} or more` : `from ${least} to ${most}`
  throw new UsageError(`${name} must be a whole number ${range}.`)
}

/** Parses a port; 0 chooses a free one. */
export function parsePort(text: string, name: string): number {
  return parseCount(text, name, { least: 0, most: 65_535 })
}

/** Parses an interval such as 10s, 5m or 1h into seconds; at most a day. */
export function parseInterval(text: string, name: string): number {
  const seconds = durationMs(text) / 1000
  if (seconds >= 1 && seconds <= 86_400) return seconds
  throw new UsageError(`${name} must be from 1s to 24h, such as 10s, 5m or 1h.`)
}

/** Parses a time: ISO 8601, or an age such as 90m, 2h or 7d. */
export function parseTime(text: string, name: string): Date {
  const [day] = /^\d{4}-\d\d-\d\d/.exec(text) ?? []
  const date = new Date(day === undefined ? Date.now() - durationMs(text) : text)
  // Date reads 30 February as 2 March.
  const isDay = day === undefined || new Date(day).getUTCDate() === Number(day.slice(-2))
  if (isDay && !Number.isNaN(date.getTime())) return date
  throw new UsageError(
    `${name} must be a time such as 2026-09-01 or 2026-09-01T12:00:00Z, or an age such as 90m, 2h or 7d.`,
  )
}

export function parseMonth(text: string, name: string): string {
  if (/^\d{4}-(?:0[1-9]|1[0-2])$/.test(text)) return text
  throw new UsageError(`${name} must be a year and a month, such as 2026-11.`)
}

/** Milliseconds from one start to the next, from `10/s`, `30/m` or `100/h`. */
export function parseRate(text: string, name: string): number {
  const [, count, unit = 's'] = /^(\d{1,6}(?:\.\d{1,3})?)(?:\/([smh]))?$/.exec(text) ?? []
  if (Number(count) > 0) return durationMs(`1${unit}`) / Number(count)
  throw new UsageError(`${name} must be a rate such as 10/s, 30/m or 100/h.`)
}

const unitMs: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** NaN for a text that is no amount with a unit. */
function durationMs(text: string): number {
  const [, amount, unit = ''] = /^(\d{1,6})([smhd])$/.exec(text) ?? []
  return Number(amount) * (unitMs[unit] ?? Number.NaN)
}

export function parseUrl(text: string, name: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url
  throw new UsageError(
    `${name} is not an http or https URL. Use a full one, such as http://localhost:3000/webhooks/feed.`,
  )
}

/** Like `parseUrl`, for a URL that is printed and must not contain credentials. */
export function parseUrlWithoutCredentials(text: string, name: string): URL {
  const url = parseUrl(text, name)
  if (url.username === '' && url.password === '') return url
  throw new UsageError(`${name} contains a user name or a password. Remove them from the URL.`)
}

export function isLocal({ hostname }: URL): boolean {
  return /^(?:(?:.+\.)?localhost\.?|127(?:\.\d+){3}|\[::1\])$/.test(hostname)
}

import { CliError } from './errors.ts'

const unitMs = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const

/** Reads a time: ISO 8601, or how long ago, such as 90m, 2h or 7d. */
export function parseTime(
  option: string,
  text: string | undefined,
  now = Date.now(),
): Date | undefined {
  if (text === undefined) return undefined
  const { amount, unit } = /^(?<amount>\d{1,6})(?<unit>[smhd])$/.exec(text)?.groups ?? {}
  if (unit === 's' || unit === 'm' || unit === 'h' || unit === 'd') {
    return new Date(now - Number(amount) * unitMs[unit])
  }
  const date = /^\d{4}-\d\d-\d\d/.test(text) ? new Date(text) : new Date(Number.NaN)
  if (!Number.isNaN(date.getTime())) return date
  throw new CliError(
    'usage',
    `--${option} is a time such as 2026-09-01 or 2026-09-01T12:00:00Z, or how long ago: 90m, 2h, 7d.`,
  )
}

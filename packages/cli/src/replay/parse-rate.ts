import { CliError } from '../errors.ts'

const unitMs = { s: 1000, m: 60_000, h: 3_600_000 } as const

/** Milliseconds from one start to the next, from `10/s`, `30/m` or `100/h`. */
export function parseRate(text: string): number {
  const { count, unit } =
    /^(?<count>\d{1,6}(?:\.\d{1,3})?)(?:\/(?<unit>[smh]))?$/.exec(text)?.groups ?? {}
  const perUnit = Number(count)
  const known = unit === 'm' || unit === 'h' ? unit : 's'
  if (perUnit > 0) return unitMs[known] / perUnit
  throw new CliError('usage', '--rate is a number of deliveries for a time: 10/s, 30/m or 100/h.')
}

import { CliError } from './errors.ts'

const unitSeconds = { s: 1, m: 60, h: 3600 } as const

/** Reads how often something happens, such as 10s, 5m or 1h, in seconds; at most a day. */
export function parseInterval(option: string, text: string): number {
  const { amount, unit } = /^(?<amount>\d{1,5})(?<unit>[smh])$/.exec(text)?.groups ?? {}
  if (unit === 's' || unit === 'm' || unit === 'h') {
    const seconds = Number(amount) * unitSeconds[unit]
    if (seconds >= 1 && seconds <= 86_400) return seconds
  }
  throw new CliError('usage', `${option} is from 1s to 24h, such as 10s, 5m or 1h.`)
}

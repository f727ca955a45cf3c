import type { ContenderName } from '../../../bench/contenders/contenders.ts'

/** The settings of a receiver or a worker, as JSON in its first argument. */
export interface MemberSettings {
  name: string
  databaseUrl: string
  redisUrl?: string | undefined
  contender: ContenderName
  secrets: string[]
}

export interface SenderSettings {
  to: string
  secret: string
  seed: number
  events: number
  /** How many of them the sender may send at first. */
  allowed: number
  perSecond: number
  logPath: string
}

export function readSettings<Settings>(): Settings {
  return JSON.parse(process.argv[2] ?? '{}')
}

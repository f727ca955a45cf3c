/** What a receiver or a worker is started with, as JSON in its first argument. */
export interface MemberSettings {
  name: string
  databaseUrl: string
  secrets: string[]
}

export interface SenderSettings {
  to: string
  secret: string
  seed: number
  events: number
  /** How many of them may be sent by now. */
  allowed: number
  perSecond: number
  logPath: string
}

export function readSettings<Settings>(): Settings {
  return JSON.parse(process.argv[2] ?? '{}')
}

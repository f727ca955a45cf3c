import type { Reason } from '@feed-receiver/core'
import type { Place } from '../queue/queue.ts'
import { factsSql } from './facts-sql.ts'

/** All that the rules look at, read at one time. */
export interface Facts {
  /** The time at which it is looked, by the clock of the database. */
  asOf: Date
  /** Entries that died lately, by type. */
  dead: { type: string; count: number }[]
  /** Since when the entry has been due that waits longest for a worker; null if none waits. */
  dueSince: Date | null
  /** Types with many entries whose latest attempt failed lately, beside those that were done. */
  failing: { type: string; failed: number; done: number }[]
  /** Open rows of quarantine. */
  quarantined: number
  /** Events that push left out although it brought later ones. */
  missed: number
  /** Events that push should have brought since it last brought anything. */
  unpushed: number
  /** When the last accepted delivery of a new event was signed. */
  lastPushAt: Date | null
  /** Deliveries since the last accepted one whose signature no secret of ours had made. */
  mismatches: number
  /** Other refusals since then that would have paused the destination. */
  otherRefusals: number
  /** The longest time without an accepted delivery in two weeks; null if too little is known. */
  usualQuietHours: number | null
  /** Secrets that still sign, long after a newer one began to. */
  oldSecrets: { secret: string; newer: string; hours: number }[]
  streamGaps: { stream: string; code: string }[]
  /** The empty type stands for the whole inbox. */
  pauses: { type: string; pausedAt: string }[]
  /** What was noticed or opened before, and has not closed. */
  known: KnownAlert[]
  /** Whether somebody has still to be told of an alert. */
  isUntold: boolean
}

/** An alert as it is stored, or what may become one; times are in milliseconds. */
export interface KnownAlert {
  id: number
  rule: string
  subject: string
  message: string
  /** Since when its condition holds. */
  noticedAt: number
  openedAt: number | null
  /** Since when it does not. */
  calmSince: number | null
  closedAt: number | null
}

/** How far back the facts go, and what is too little to count. */
export interface FactLimits {
  deadDays: number
  failureMinutes: number
  failureCount: number
  missedHours: number
  oldSecretHours: number
  gapHours: number
}

/** Reads all facts in one statement, whose parts each end at an index or at a limit. */
export async function readFacts(
  place: Place,
  limits: FactLimits,
  asOf: Date | undefined,
): Promise<Facts> {
  const { database, source, queue } = place
  const { deadDays, failureMinutes, failureCount, missedHours, oldSecretHours, gapHours } = limits
  const values = [
    source,
    asOf ?? null,
    queue.name,
    deadDays,
    failureMinutes,
    failureCount,
    missedHours,
    oldSecretHours,
    gapHours,
    otherPausing,
  ]
  const { rows } = await database.query<Facts>(factsSql(place), values, { isRepeated: true })
  const [row] = rows
  if (!row) throw new Error('A statement without a condition gave no row.')
  return row
}

/** What else pauses the destination; a wrong secret is a matter of its own. */
const otherPausing = [
  'signature_missing',
  'signature_malformed',
  'method_not_allowed',
] as const satisfies Reason[]

/** Whether push is silent for half as long again as ever in two weeks; undefined if that is not known. */
export function isUnusuallyQuiet({
  asOf,
  lastPushAt,
  usualQuietHours,
}: Facts): boolean | undefined {
  if (lastPushAt === null || usualQuietHours === null) return undefined
  return hoursBetween(lastPushAt, asOf) > usualQuietHours * 1.5 + 1
}

export function hoursBetween(since: Date, until: Date): number {
  return (until.getTime() - since.getTime()) / 3_600_000
}

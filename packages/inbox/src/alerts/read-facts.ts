import { neverOfService } from '../admin/find-pause.ts'
import type { HealthProblem } from '../admin/problems.ts'
import type { InboxContext } from '../context.ts'
import { factsSql } from './facts-sql.ts'

/** Everything that the rules read, from one point in time. */
export interface Facts extends StoredFacts {
  /** The problems of the health. */
  problems: readonly HealthProblem[]
}

/** The facts that one statement reads. */
interface StoredFacts {
  /** The time of the check, by the database's clock. */
  asOf: Date
  /** Entries that died recently, by type. */
  dead: { type: string; count: number }[]
  /** Since when the oldest pending entry has been due; null if none is pending. */
  dueSince: Date | null
  /** Types of which many recent latest attempts failed, with the number of entries done. */
  failing: { type: string; failed: number; done: number }[]
  /** Open rows in quarantine. */
  quarantined: number
  /** Events that push missed although it delivered later ones. */
  missed: number
  /** Events that push should have delivered since its last delivery. */
  unpushed: number
  /** When the last accepted delivery of a new event was signed. */
  lastPushAt: Date | null
  /** Deliveries since the last accepted one whose signature matched none of the secrets. */
  mismatches: number
  /** Other rejections since then with a status that pauses the destination. */
  otherRefusals: number
  /**
   * The longest time without an accepted delivery in two weeks; null if there is too little data.
   */
  usualQuietHours: number | null
  /** Secrets that still sign long after a newer one began to. */
  oldSecrets: { secret: string; newer: string; hours: number }[]
  streamGaps: { stream: string; code: string }[]
  /** The empty type stands for the whole inbox. */
  pauses: { type: string; pausedAt: string }[]
  /** Alerts whose condition was noticed, or that opened, and that have not closed. */
  known: KnownAlert[]
  /** Whether a notification is still to be sent. */
  isUntold: boolean
}

/** A stored alert, or one that may open. Times are in milliseconds. */
export interface KnownAlert {
  id: number
  rule: string
  subject: string
  message: string
  /** Since when its condition has held. */
  noticedAt: number
  openedAt: number | null
  /** Since when its condition has no longer held. */
  calmSince: number | null
  closedAt: number | null
}

/** How far back the facts reach, and the minimum counts. */
export interface FactLimits {
  deadDays: number
  failureMinutes: number
  failureCount: number
  missedHours: number
  oldSecretHours: number
  gapHours: number
}

/** Reads all facts in one statement. Each part of it ends at an index or at a limit. */
export async function readFacts(
  context: InboxContext,
  limits: FactLimits,
  asOf: Date | undefined,
): Promise<StoredFacts> {
  const { database, source, queue } = context
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
    neverOfService,
  ]
  const { rows } = await database.query<StoredFacts>(factsSql(context), values, {
    isRepeated: true,
  })
  const [row] = rows
  if (!row) throw new Error('A statement without a condition returned no row.')
  return row
}

import type { Quarantined } from '@feed-receiver/core'
import type { Queryable } from '@feed-receiver/database'
import { isoTime } from '../entry/iso-time.ts'
import { checkPageSize } from '../entry/page-size.ts'

/** What may have become of a delivery in quarantine. */
export const quarantineStates = ['open', 'released', 'discarded'] as const
export type QuarantineState = (typeof quarantineStates)[number]

/** Why a delivery may be in quarantine. */
export const quarantineReasons = [
  'not_json',
  'not_an_event',
  'unknown_schema_version',
  'id_mismatch',
  'id_conflict',
] as const satisfies readonly Quarantined[]

export interface ListQuarantinedOptions {
  /** All states, where it is left out. */
  state?: QuarantineState | undefined
  reason?: Quarantined | undefined
  /** Where the page before ended: its `next`. */
  after?: number | undefined
  /**
   * How many rows a page may have, up to 500.
   * @default 50
   */
  limit?: number
}

/** A delivery in quarantine as a list shows it; times are ISO 8601 in UTC. */
export interface QuarantinedRow {
  id: number
  reason: Quarantined
  state: QuarantineState
  /** The id in the body, where there is a usable one. */
  eventId: string | null
  /** Why it could not be read; never quotes the body. */
  detail: string | null
  /** How often the same bytes came for the same reason. */
  seenCount: number
  firstSeenAt: string
  lastSeenAt: string
  /** When it was released or discarded, and by whom, where that was said. */
  settledAt: string | null
  settledBy: string | null
}

export interface QuarantinedPage {
  quarantined: QuarantinedRow[]
  /** For `after`, to get the page that follows; null at the end. */
  next: number | null
}

/** The columns of a list, under the names of its rows. */
export const quarantinedRowColumns = `
  id, reason, state, event_id as "eventId", detail, seen_count as "seenCount",
  ${isoTime('first_seen_at')} as "firstSeenAt", ${isoTime('last_seen_at')} as "lastSeenAt",
  ${isoTime('settled_at')} as "settledAt", settled_by as "settledBy"`

/** One page of quarantine, the latest rows first. */
export async function listQuarantined(
  db: Queryable,
  table: string,
  source: string,
  { state, reason, after, limit = 50 }: ListQuarantinedOptions = {},
): Promise<QuarantinedPage> {
  checkPageSize(limit)
  const { rows } = await db.query<QuarantinedRow>(
    `select ${quarantinedRowColumns}
     from ${table}
     where source = $1
       and ($2::text is null or state = $2)
       and ($3::text is null or reason = $3)
       and ($4::bigint is null or id < $4)
     order by id desc
     limit ${limit + 1}`,
    [source, state, reason, after],
  )
  const quarantined = rows.slice(0, limit)
  return { quarantined, next: rows.length > limit ? (quarantined.at(-1)?.id ?? null) : null }
}

import type { Delivery, Quarantined } from '@feed-receiver/core'
import type { Queryable } from '@feed-receiver/database'
import { cleanText } from '../entry/columns.ts'
import type { Place } from '../queue/queue.ts'
import { sha256Sql } from './store-entries.ts'

/** Puts one delivery into quarantine; the same bytes for the same reason are only counted. */
export async function insertQuarantine(
  db: Queryable,
  { tables, source }: Place,
  delivery: Delivery & { eventId: string | null; detail: string | null },
  reason: Quarantined,
): Promise<void> {
  const { eventId, detail, body, signedBy, signedAt, headers, receivedAt } = delivery
  const text = detail === null ? null : cleanText(detail)
  await db.query(
    `insert into ${tables.quarantine} as known (
       source, reason, event_id, detail, body, sha256, signed_by, signed_at, headers,
       first_seen_at, last_seen_at
     )
     values ($1, $2, $3, $4, $5, ${sha256Sql('$5::bytea')}, $6, $7, $8, $9, $9)
     on conflict (source, reason, sha256) do update set
       seen_count = known.seen_count + 1,
       last_seen_at = greatest(known.last_seen_at, excluded.last_seen_at)`,
    [source, reason, eventId, text, body, signedBy, signedAt, headers, receivedAt],
    { isUrgent: true },
  )
}

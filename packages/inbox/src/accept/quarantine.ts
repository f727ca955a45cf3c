import type { Delivery, Quarantined, UnreadableDelivery } from '@feed-receiver/core'
import type { Queryable } from '@feed-receiver/database'
import type { InboxContext } from '../context.ts'
import { cleanText } from '../clean-text.ts'
import { dryRun } from '../dry-run.ts'
import { measureStored } from '../telemetry/instruments.ts'
import { sha256Sql } from './store-entries.ts'

/** Quarantines an unreadable delivery. */
export async function quarantineDelivery(
  context: InboxContext,
  delivery: UnreadableDelivery,
  reason: Quarantined,
): Promise<void> {
  const startedAt = performance.now()
  await quarantine(context.database, context, delivery, reason)
  measureStored(context.source, 'quarantined', startedAt)
}

type ToQuarantine = Delivery & { eventId: string | null; detail: string | null }

/** Quarantines a delivery; one of `feed-receiver check` only on trial, so that it leaves no row. */
export async function quarantine(
  db: Queryable,
  context: InboxContext,
  delivery: ToQuarantine,
  reason: Quarantined,
): Promise<void> {
  const insert = (on: Queryable) => insertQuarantine(on, context, delivery, reason)
  await (delivery.isCheck ? dryRun(context.database, insert) : insert(db))
}

/** Quarantines one delivery. The same bytes for the same reason are only counted. */
export async function insertQuarantine(
  db: Queryable,
  { tables, source }: InboxContext,
  delivery: ToQuarantine,
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

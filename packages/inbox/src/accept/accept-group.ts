import type { Delivery, DeliveryInbox, EventDelivery } from '@feed-receiver/core'
import type { Quarantined, UnreadableDelivery } from '@feed-receiver/core'
import type { Queryable } from '@feed-receiver/database'
import { SpanKind } from '@opentelemetry/api'
import type { InboxContext } from '../context.ts'
import { countRepeats } from './count-repeats.ts'
import { rollBack } from './roll-back.ts'
import { sha256Sql, storeInOneStatement } from './store-entries.ts'
import { cleanText } from '../entry/columns.ts'
import { toTraceparent } from '../telemetry/trace-context.ts'
import { inSpan, instruments } from '../telemetry/instruments.ts'

/** The result of accepting a delivery. */
export type Acceptance = Awaited<ReturnType<DeliveryInbox['accept']>>

/**
 * Creates the function that accepts a group of deliveries and returns a result for each, in order.
 * It stores and queues new events, counts duplicates, and quarantines conflicts. If a later step
 * fails, committed steps stay: the service retries the deliveries, which then are duplicates.
 */
export function acceptGroupsOn(context: InboxContext) {
  const storeEntries = storeInOneStatement(context)
  const labels = { 'feed.source': context.source }

  return async (db: Queryable, deliveries: readonly EventDelivery[]): Promise<Acceptance[]> => {
    const candidates = firstOfEachEvent(deliveries)
    const entries = await storeEntries(db, [...candidates.values()])

    // By position, because a group may contain the same delivery twice.
    const results: (Acceptance | undefined)[] = deliveries.map(() => undefined)
    const newEvents = new Set(entries.map(({ eventId }) => eventId))
    for (const [position, { event }] of candidates) {
      if (newEvents.has(event.id)) results[position] = 'stored'
    }

    const others = deliveries.filter((_, position) => !results[position])
    const repeats = await countRepeats(db, context, others)
    for (const [position, delivery] of deliveries.entries()) {
      if (results[position]) continue
      results[position] = repeats.has(delivery)
        ? 'duplicate'
        : await setAside(db, context, delivery)
    }
    instruments().groupSize.record(deliveries.length, labels)
    return results.filter((result) => result !== undefined)
  }
}

async function setAside(
  db: Queryable,
  context: InboxContext,
  delivery: EventDelivery,
): Promise<Acceptance> {
  const quarantined = delivery.doubt ?? 'id_conflict'
  const known = { ...delivery, eventId: delivery.event.id, detail: null }
  if (delivery.isCheck) await tryQuarantine(context, known, quarantined)
  else await insertQuarantine(db, context, known, quarantined)
  return { quarantined }
}

/** The deliveries to store, by position: the first of each event, if it has no conflict. */
function firstOfEachEvent(deliveries: readonly EventDelivery[]): Map<number, EventDelivery> {
  const firsts = new Map<number, EventDelivery>()
  const seen = new Set<string>()
  for (const [position, delivery] of deliveries.entries()) {
    if (delivery.doubt !== null || seen.has(delivery.event.id)) continue
    seen.add(delivery.event.id)
    firsts.set(position, delivery)
  }
  return firsts
}

/** Lets concurrent deliveries share a commit. */
type Accepting = InboxContext & { accepting: { add(delivery: EventDelivery): Promise<Acceptance> } }

/**
 * Accepts a delivery in its own span. The span's context is stored with the delivery's headers, so
 * that later runs of its handler can link to it.
 */
export function acceptDelivery(
  { source, accepting }: Accepting,
  delivery: EventDelivery,
): Promise<Acceptance> {
  const { id, type } = delivery.event
  const attributes = { 'feed.source': source, 'feed.event.id': id, 'feed.event.type': type }
  return inSpan('inbox accept', { kind: SpanKind.PRODUCER, attributes }, async (span) => {
    const traceparent = toTraceparent(span.spanContext())
    const kept = traceparent
      ? { ...delivery, headers: { ...delivery.headers, traceparent } }
      : delivery
    const startedAt = performance.now()
    const acceptance = await accepting.add(kept)
    const outcome = typeof acceptance === 'string' ? acceptance : 'quarantined'
    span.setAttribute('feed.outcome', outcome)
    measureStored(source, outcome, startedAt)
    return acceptance
  })
}

/** Quarantines an unreadable delivery. */
export async function quarantineDelivery(
  context: InboxContext,
  delivery: UnreadableDelivery,
  reason: Quarantined,
): Promise<void> {
  const startedAt = performance.now()
  if (delivery.isCheck) await tryQuarantine(context, delivery, reason)
  else await insertQuarantine(context.database, context, delivery, reason)
  measureStored(context.source, 'quarantined', startedAt)
}

type ToQuarantine = Delivery & { eventId: string | null; detail: string | null }

/** Tests whether a delivery of `feed-receiver check` can be quarantined, and leaves no row. */
async function tryQuarantine(
  context: InboxContext,
  delivery: ToQuarantine,
  reason: Quarantined,
): Promise<void> {
  await rollBack(context.database, (tx) => insertQuarantine(tx, context, delivery, reason))
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

function measureStored(source: string, outcome: string, startedAt: number): void {
  const { deliveries, storeSeconds } = instruments()
  const labels = { 'feed.source': source, 'feed.outcome': outcome }
  deliveries.add(1, labels)
  storeSeconds.record((performance.now() - startedAt) / 1_000, labels)
}

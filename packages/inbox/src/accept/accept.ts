import type { Accepted, EventDelivery, Quarantined } from '@feed-receiver/core'
import type { GroupCommit } from '@feed-receiver/database/internal'
import type { Queryable } from '@feed-receiver/database'
import type { InboxContext } from '../context.ts'
import { inSpan, instruments, measureStored } from '../telemetry/instruments.ts'
import { toTraceparent } from '../telemetry/trace-context.ts'
import { countDuplicates } from './count-duplicates.ts'
import { quarantine } from './quarantine.ts'
import { storeInOneStatement } from './store-entries.ts'

/** The result of accepting a delivery. */
export type Acceptance = Accepted | { quarantined: Quarantined }

/** Lets concurrent deliveries share a commit. */
export type Accepting = GroupCommit<EventDelivery, Acceptance>

/**
 * Accepts a delivery in its own span. The span's context is stored with the delivery's headers, so
 * that later attempts can link to it.
 */
export function acceptDelivery(
  { source, accepting }: InboxContext & { accepting: Accepting },
  delivery: EventDelivery,
): Promise<Acceptance> {
  const { id, type } = delivery.event
  const attributes = { 'feed.source': source, 'feed.event.id': id, 'feed.event.type': type }
  return inSpan('inbox accept', { kind: 'PRODUCER', attributes }, async (span) => {
    const traceparent = span && toTraceparent(span.spanContext())
    const traced = traceparent
      ? { ...delivery, headers: { ...delivery.headers, traceparent } }
      : delivery
    const startedAt = performance.now()
    const acceptance = await accepting.add(traced)
    const outcome = typeof acceptance === 'string' ? acceptance : 'quarantined'
    span?.setAttribute('feed.outcome', outcome)
    measureStored(source, outcome, startedAt)
    return acceptance
  })
}

/**
 * Creates the function that accepts a group of deliveries and returns a result for each, in order.
 * It stores and queues new events, counts duplicates, and quarantines conflicts. If a later step
 * fails, committed steps stay: the service retries the deliveries, which then are duplicates.
 */
export function createAcceptGroup(context: InboxContext) {
  const storeEntries = storeInOneStatement(context)
  const labels = { 'feed.source': context.source }

  return async (db: Queryable, deliveries: readonly EventDelivery[]): Promise<Acceptance[]> => {
    const candidates = firstOfEachEvent(deliveries)
    const entries = await storeEntries(db, [...candidates.values()])

    // By position, because a group may contain the same delivery twice.
    const stored = new Set<number>()
    const newEvents = new Set(entries.map(({ eventId }) => eventId))
    for (const [position, { event }] of candidates) {
      if (newEvents.has(event.id)) stored.add(position)
    }

    const others = deliveries.filter((_, position) => !stored.has(position))
    const duplicates = await countDuplicates(db, context, others)
    const results: Acceptance[] = []
    for (const [position, delivery] of deliveries.entries()) {
      if (stored.has(position)) results.push('stored')
      else if (duplicates.has(delivery)) results.push('duplicate')
      else {
        const quarantined = delivery.doubt ?? 'id_conflict'
        const doubtful = { ...delivery, eventId: delivery.event.id, detail: null }
        await quarantine(db, context, doubtful, quarantined)
        results.push({ quarantined })
      }
    }
    instruments().groupSize.record(deliveries.length, labels)
    return results
  }
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

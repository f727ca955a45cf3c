import type { EventDelivery, Quarantined, UnreadableDelivery } from '@feed-receiver/core'
import { SpanKind } from '@opentelemetry/api'
import { toTraceparent } from '../entry/trace-context.ts'
import { inSpan, instruments } from '../instruments.ts'
import type { Place } from '../queue/queue.ts'
import type { Acceptance } from './accept-group.ts'
import { insertQuarantine } from './insert-quarantine.ts'

export interface Accepting extends Place {
  /** Lets deliveries that come at once share a commit. */
  accepting: { add(delivery: EventDelivery): Promise<Acceptance> }
}

/**
 * Accepts a delivery within a span of its own, whose context is kept with the delivery's headers, so
 * that the runs of its handler can be linked to it days later.
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
    const acceptance = await accepting.add(kept)
    const outcome = typeof acceptance === 'string' ? acceptance : 'quarantined'
    span.setAttribute('feed.outcome', outcome)
    countDelivery(source, outcome)
    return acceptance
  })
}

/** Puts an unreadable delivery into quarantine. */
export async function quarantineDelivery(
  place: Place,
  delivery: UnreadableDelivery,
  reason: Quarantined,
): Promise<void> {
  await insertQuarantine(place.database, place, delivery, reason)
  countDelivery(place.source, 'quarantined')
}

function countDelivery(source: string, outcome: string): void {
  instruments().deliveries.add(1, { 'feed.source': source, 'feed.outcome': outcome })
}

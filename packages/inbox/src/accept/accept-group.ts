import type { DeliveryInbox, EventDelivery } from '@feed-receiver/core'
import type { Queryable } from '@feed-receiver/database'
import type { Place } from '../queue/queue.ts'
import { countRepeats } from './count-repeats.ts'
import { insertQuarantine } from './insert-quarantine.ts'
import { storeInOneStatement } from './store-entries.ts'

/** What became of a delivery. */
export type Acceptance = Awaited<ReturnType<DeliveryInbox['accept']>>

/**
 * Makes the function that accepts a group of deliveries, and gives one answer for each, in their order:
 * it stores and queues what is new, counts what is known, and puts into quarantine what contradicts it.
 * What a step has committed stays even if a later one fails: the deliveries come again, and are
 * duplicates then.
 */
export function acceptGroupsOn(place: Place) {
  const storeEntries = storeInOneStatement(place)

  return async (db: Queryable, deliveries: readonly EventDelivery[]): Promise<Acceptance[]> => {
    const candidates = firstOfEachEvent(deliveries)
    const entries = await storeEntries(db, [...candidates.values()])

    // By position: the same delivery may stand in a group twice.
    const results: (Acceptance | undefined)[] = deliveries.map(() => undefined)
    const newEvents = new Set(entries.map(({ eventId }) => eventId))
    for (const [position, { event }] of candidates) {
      if (newEvents.has(event.id)) results[position] = 'stored'
    }

    const others = deliveries.filter((_, position) => !results[position])
    const repeats = await countRepeats(db, place, others)
    for (const [position, delivery] of deliveries.entries()) {
      if (results[position]) continue
      results[position] = repeats.has(delivery) ? 'duplicate' : await setAside(db, place, delivery)
    }
    return results.filter((result) => result !== undefined)
  }
}

async function setAside(db: Queryable, place: Place, delivery: EventDelivery): Promise<Acceptance> {
  const quarantined = delivery.doubt ?? 'id_conflict'
  const known = { ...delivery, eventId: delivery.event.id, detail: null }
  await insertQuarantine(db, place, known, quarantined)
  return { quarantined }
}

/** The deliveries that may be stored, by position: the first of each event, if it is beyond doubt. */
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

import type { DeliveryInbox, EventDelivery, Quarantined } from '@feed-receiver/core'
import type { Queryable } from '@feed-receiver/database'
import { countRepeats } from './count-repeats.ts'
import { insertQuarantine } from './insert-quarantine.ts'
import type { StoreEntries } from './store-entries.ts'
import type { Tables } from '../entry/tables.ts'

/** What became of one delivery. */
export type Acceptance = Awaited<ReturnType<DeliveryInbox['accept']>>

export interface AcceptGroupOptions {
  tables: Tables
  source: string
  storeEntries: StoreEntries
}

/**
 * Takes a group of deliveries: stores and queues what is new, counts what is known, and sets aside
 * what contradicts what is known. What a step has committed stays, also where a later one fails: the
 * deliveries come again then, and find themselves known.
 */
export async function acceptGroup(
  db: Queryable,
  deliveries: readonly EventDelivery[],
  { tables, source, storeEntries }: AcceptGroupOptions,
): Promise<Acceptance[]> {
  const candidates = firstOfEachEvent(deliveries)
  const entries = await storeEntries(db, [...candidates.values()])

  // By position: the same delivery may stand in a group twice.
  const results: (Acceptance | undefined)[] = deliveries.map(() => undefined)
  const newEvents = new Set(entries.map(({ eventId }) => eventId))
  for (const [position, { event }] of candidates) {
    if (newEvents.has(event.id)) results[position] = 'stored'
  }

  const others = deliveries.filter((_, position) => !results[position])
  const repeats = await countRepeats(db, tables.entry, source, others)
  for (const [position, delivery] of deliveries.entries()) {
    if (repeats.has(delivery)) results[position] ??= 'duplicate'
    if (results[position]) continue
    const reason: Quarantined = delivery.doubt ?? 'id_conflict'
    const eventId = delivery.event.id
    const row = { delivery, reason, eventId, detail: null }
    await insertQuarantine(db, tables.quarantine, source, row)
    results[position] = { quarantined: reason }
  }
  return results.filter((result) => result !== undefined)
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

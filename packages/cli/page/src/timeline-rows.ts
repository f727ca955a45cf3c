import type { ActionAnswer } from '../../../sandbox/src/control/actions.ts'
import type { ViewAnswer } from '../../../console/src/views.ts'

export type Delivery = ActionAnswer<'listDeliveries'>[number]
export type Entry = ViewAnswer<'entries'>['entries'][number]

/** An event on its way: its deliveries, and its entry in the inbox. */
export interface TimelineRow {
  eventId: string
  /** The newest first. */
  deliveries: Delivery[]
  entry: Entry | undefined
}

/**
 * Brings deliveries and entries together, the newest event first. The service's clock can be moved, so
 * deliveries go by their ids; an entry without one, such as from pull, follows what was stored before it.
 * Tests that others than the service sent are left out.
 */
export function toRows(deliveries: Iterable<Delivery>, entries: Iterable<Entry>): TimelineRow[] {
  const rows = new Map<string, TimelineRow & { place: number }>()
  for (const delivery of [...deliveries].toSorted((a, b) => a.id - b.id)) {
    const { eventId, id } = delivery
    const row = rows.get(eventId)
    if (row) row.deliveries.unshift(delivery)
    else rows.set(eventId, { eventId, deliveries: [delivery], entry: undefined, place: id })
  }
  let place = 0
  for (const entry of [...entries].toSorted((a, b) => a.receivedAt.localeCompare(b.receivedAt))) {
    const { eventId } = entry
    const row = rows.get(eventId)
    if (row) {
      row.entry = entry
      place = Math.max(place, row.place)
    } else if (entry.type !== 'destination_test') {
      place += 1e-6
      rows.set(eventId, { eventId, deliveries: [], entry, place })
    }
  }
  return [...rows.values()].toSorted((a, b) => b.place - a.place)
}

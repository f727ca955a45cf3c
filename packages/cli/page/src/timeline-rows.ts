import type { ActionAnswer } from '../../../sandbox/src/control/actions.ts'
import type { ViewAnswer } from '../../../console/src/views.ts'

export type Delivery = ActionAnswer<'listDeliveries'>[number]
export type Entry = ViewAnswer<'entries'>['entries'][number]

/** An event with its deliveries and its entry in the inbox. */
export interface TimelineRow {
  eventId: string
  /** Newest first. */
  deliveries: Delivery[]
  entry: Entry | undefined
}

/**
 * Joins deliveries and entries by event, newest event first. Deliveries are sorted by id, because
 * the service's clock can be moved. An entry without a delivery, for example from pull, is placed
 * right after the entry that was stored before it. Tests that another sender sent are left out.
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

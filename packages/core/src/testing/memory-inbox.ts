import { hash } from 'node:crypto'
import type { DeliveryInbox, EventDelivery, UnreadableDelivery } from '../delivery.ts'
import type { Quarantined } from '../reasons.ts'

export interface QuarantinedDelivery {
  reason: Quarantined
  delivery: EventDelivery | UnreadableDelivery
}

export interface MemoryInbox extends DeliveryInbox {
  /** The stored deliveries, by event id. */
  readonly entries: ReadonlyMap<string, EventDelivery>
  readonly quarantined: readonly QuarantinedDelivery[]
}

/** An in-memory inbox for tests: it gives the guarantees of a real one until the process ends. */
export function memoryInbox(): MemoryInbox {
  const entries = new Map<string, EventDelivery>()
  const quarantined = new Map<string, QuarantinedDelivery>()

  function setAside(delivery: EventDelivery | UnreadableDelivery, reason: Quarantined): void {
    quarantined.set(`${reason} ${hash('sha256', delivery.body)}`, { reason, delivery })
  }

  return {
    entries,
    get quarantined() {
      return [...quarantined.values()]
    },
    async accept(delivery) {
      const known = entries.get(delivery.event.id)
      if (known && Buffer.compare(known.body, delivery.body) === 0) return 'duplicate'
      if (known || delivery.doubt) {
        const reason = delivery.doubt ?? 'id_conflict'
        setAside(delivery, reason)
        return { quarantined: reason }
      }
      entries.set(delivery.event.id, copyOf(delivery))
      return 'stored'
    },
    async quarantine(delivery, reason) {
      setAside(delivery, reason)
    },
  }
}

// Copied, as a database would: a body keeps the 64 KiB alive that were read together with it, and
// the objects that the receiver makes for a delivery must not count as long-lived.
function copyOf(delivery: EventDelivery): EventDelivery {
  const { body, headers, notes } = delivery
  return { ...delivery, body: Uint8Array.from(body), headers: { ...headers }, notes: [...notes] }
}

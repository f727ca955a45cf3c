import { setTimeout as delay } from 'node:timers/promises'
import type { EntryFilter, StoredDelivery, StoredDeliveryTarget } from '@feed-receiver/inbox'

/** The source of stored deliveries: a database, or a console. */
export interface DeliverySource {
  /** Returns the newest `limit` matching deliveries, oldest first. */
  find(target: StoredDeliveryTarget, limit: number): Promise<StoredDelivery[]>
  /** The raw body of a delivery; null if it was pruned or never stored. */
  bytesOf(delivery: StoredDelivery): Promise<Uint8Array | null>
}

const pollMs = 1_000
/**
 * A delivery may become visible this much after its time of receipt, because of open transactions
 * and the clock skew between apps.
 */
const lateMs = 60_000
const followedLimit = 10_000

/** Yields each newly stored delivery once, until the signal aborts. */
export async function* follow(
  source: DeliverySource,
  { filter, signal }: { filter: EntryFilter; signal: AbortSignal },
): AsyncGenerator<StoredDelivery, void> {
  const recent = (newest: StoredDelivery | undefined) => {
    const since = newest && new Date(Date.parse(newest.receivedAt) - lateMs)
    return source.find({ filter: { ...filter, since } }, followedLimit)
  }
  let [newest] = await source.find({ filter }, 1)
  let given = new Set(newest && (await recent(newest)).map(({ eventId }) => eventId))
  while (!signal.aborted) {
    const found = await recent(newest)
    for (const delivery of found) if (!given.has(delivery.eventId)) yield delivery
    given = new Set(found.map(({ eventId }) => eventId))
    newest = found.at(-1) ?? newest
    await delay(pollMs, undefined, { signal }).catch(() => undefined)
  }
}

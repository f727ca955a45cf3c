import { setTimeout as delay } from 'node:timers/promises'
import type { EntryFilter, StoredDelivery, StoredDeliveryTarget } from '@feed-receiver/inbox'

/** Where stored deliveries are read: a database, or a console over it. */
export interface DeliverySource {
  /** The newest `limit` of those that are meant, the oldest of them first. */
  find(target: StoredDeliveryTarget, limit: number): Promise<StoredDelivery[]>
  /** The exact bytes of a delivery; null where they were pruned or never were. */
  bytesOf(delivery: StoredDelivery): Promise<Uint8Array | null>
}

const pollMs = 1_000
/** How much later than its time of receipt a delivery may appear: commits, and clocks of several apps. */
const lateMs = 60_000
/** How many of one minute are followed. */
const followedLimit = 10_000

/** Gives what is stored from now on, once each, until the signal aborts. */
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

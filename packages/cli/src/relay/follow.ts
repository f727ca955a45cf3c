import { setTimeout as delay } from 'node:timers/promises'
import type { EntryFilter, StoredDelivery, storedDeliveries } from '@feed-receiver/inbox'

const pollMs = 1_000
const pageSize = 100
/** How long a transaction with a lower id may take to commit behind one with a higher id. */
const lateMs = 60_000

/** Gives what is stored from now on, once each, until the signal aborts. */
export async function* follow(
  stored: Pick<ReturnType<typeof storedDeliveries>, 'findBehind' | 'newestId'>,
  { filter, signal }: { filter: EntryFilter; signal: AbortSignal },
): AsyncGenerator<StoredDelivery, void> {
  let after = await stored.newestId()
  const given = new Map<number, number>()
  while (!signal.aborted) {
    const except = [...given.keys()]
    const found = await stored.findBehind(filter, { after, except, limit: pageSize })
    for (const delivery of found) {
      given.set(delivery.id, Date.now())
      yield delivery
    }
    for (const [id, at] of given) {
      if (Date.now() - at < lateMs) continue
      given.delete(id)
      after = Math.max(after, id)
    }
    if (found.length < pageSize) await delay(pollMs, undefined, { signal }).catch(() => undefined)
  }
}

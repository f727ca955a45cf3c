import { hasTimedOut, isoTime } from '@feed-receiver/inbox/internal'
import type { InboxStore } from '@feed-receiver/inbox/extend'
import type { AuditPeriod } from './period.ts'

const pageSize = 5_000

/**
 * Counts the events of a period that are stored more than once: in one database although its unique
 * constraint forbids that, or in several shards.
 */
export async function countStoredTwice(
  contexts: readonly InboxStore[],
  period: AuditPeriod,
): Promise<number> {
  const storedTwice = new Set<string>()
  for (const context of contexts) {
    for (const id of await findStoredTwice(context, period)) storedTwice.add(id)
    const others = contexts.filter((other) => other !== context)
    if (others.length === 0) continue
    for await (const ids of readIds(context, period)) {
      const known = await Promise.all(others.map((other) => findKnown(other, ids)))
      for (const id of known.flat()) storedTwice.add(id)
    }
  }
  return storedTwice.size
}

/**
 * Counts without the index of the unique constraint, because an index whose order no longer fits
 * its entries is what lets an event be stored twice. An expression is in no index.
 */
async function findStoredTwice(context: InboxStore, period: AuditPeriod): Promise<string[]> {
  const { database, tables, source } = context
  const text = `select min(event_id) as id from ${tables.entry}
     where source = $1 and received_at < $3::timestamptz
     group by event_id || '' having count(*) > 1 and max(received_at) >= $2::timestamptz`
  try {
    const values = [source, period.from, period.until]
    const { rows } = await database.tx((tx) => tx.query<{ id: string }>(text, values))
    return rows.map(({ id }) => id)
  } catch (error) {
    if (!hasTimedOut(error)) throw error
  }
  return await findStoredTwiceWithin(context, period)
}

/** For millions of entries: finds an event only if all its entries are of the period. */
async function findStoredTwiceWithin(context: InboxStore, period: AuditPeriod): Promise<string[]> {
  const once = new Set<string>()
  const storedTwice: string[] = []
  for await (const ids of readIds(context, period)) {
    storedTwice.push(...ids.filter((id) => once.has(id) || !once.add(id)))
  }
  return storedTwice
}

async function* readIds(
  { database, tables, source }: InboxStore,
  { from, until }: AuditPeriod,
): AsyncGenerator<string[]> {
  for (let behind = { at: from, id: 0 }; ;) {
    const { rows } = await database.query<{ id: number; at: string; eventId: string }>(
      `select id, ${isoTime('received_at', 'US')} as at, event_id as "eventId" from ${tables.entry}
       where source = $1 and received_at < $2::timestamptz
         and (received_at, id) > ($3::timestamptz, $4::bigint)
       order by received_at, id limit ${pageSize}`,
      [source, until, behind.at, behind.id],
    )
    yield rows.map(({ eventId }) => eventId)
    const last = rows.at(-1)
    if (!last || rows.length < pageSize) return
    behind = last
  }
}

async function findKnown(
  { database, tables, source }: InboxStore,
  ids: readonly string[],
): Promise<string[]> {
  const { rows } = await database.query<{ id: string }>(
    `select event_id as id from ${tables.entry} where source = $1 and event_id = any($2::text[])`,
    [source, ids],
  )
  return rows.map(({ id }) => id)
}

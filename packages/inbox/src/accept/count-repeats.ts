import { hash } from 'node:crypto'
import type { EventDelivery } from '@feed-receiver/core'
import type { Queryable } from '@feed-receiver/database'
import { recordsSql } from '../entry/columns.ts'
import type { InboxContext } from '../context.ts'
import { bodySql, pushTypes, writeDeliveries } from './store-entries.ts'

/** The first of several deliveries with the same bytes for the same event, and all of them. */
interface Repeated extends EventDelivery {
  key: string
  sha256: string
  all: EventDelivery[]
}

const repeatTypes = { key: 'text', event_id: 'text', sha256: 'text', count: 'integer' }

/**
 * Counts deliveries of known events, and returns those with the same bytes. An entry that came by
 * pull has no hash yet: the first push sets it.
 */
export async function countRepeats(
  db: Queryable,
  { tables, source }: InboxContext,
  deliveries: readonly EventDelivery[],
): Promise<Set<EventDelivery>> {
  if (deliveries.length === 0) return new Set()
  const repeated = groupByContent(deliveries)
  const written = writeDeliveries([...repeated.values()], ({ key, sha256, event, all }) => ({
    key,
    event_id: event.id,
    sha256,
    count: all.length,
  }))
  const { rows } = await db.query<{ key: string }>(
    `with counted as (
       update ${tables.entry} entry set
         push_count = entry.push_count + repeat.count,
         first_push_at = coalesce(entry.first_push_at, repeat.received_at),
         last_push_at = greatest(entry.last_push_at, repeat.received_at),
         signed_by = coalesce(entry.signed_by, repeat.signed_by),
         signed_at = coalesce(entry.signed_at, repeat.signed_at),
         sha256 = coalesce(entry.sha256, repeat.sha256)
       from (
         select entry.id, entry.sha256 is null as is_first, delivery.*
         from ${recordsSql('$3', 'delivery', { ...repeatTypes, ...pushTypes })}
         join ${tables.entry} entry on entry.source = $1 and entry.event_id = delivery.event_id
         where entry.sha256 is null or entry.sha256 = delivery.sha256
         order by entry.event_id
         for update of entry
       ) repeat
       where entry.id = repeat.id
       returning repeat.*
     ),
     -- Joined to its entry, because Citus needs all workers for what selects from no table.
     kept as (
       insert into ${tables.entryBody} (entry_id, body, headers)
       select id, ${bodySql}, headers from counted join ${tables.entry} entry using (id)
       where is_first
       on conflict (entry_id) do update set body = excluded.body, headers = excluded.headers
     )
     select key from counted`,
    [source, ...written],
    { isUrgent: true },
  )
  return new Set(rows.flatMap(({ key }) => repeated.get(key)?.all ?? []))
}

function groupByContent(deliveries: readonly EventDelivery[]): Map<string, Repeated> {
  const repeated = new Map<string, Repeated>()
  for (const delivery of deliveries) {
    const sha256 = hash('sha256', delivery.body)
    const key = `${sha256} ${delivery.event.id}`
    const same = repeated.get(key)
    if (same) same.all.push(delivery)
    else repeated.set(key, { ...delivery, key, sha256, all: [delivery] })
  }
  return repeated
}

import { hash } from 'node:crypto'
import type { EventDelivery } from '@feed-receiver/core'
import type { Queryable } from '@feed-receiver/database'
import { recordsSql } from '../entry/columns.ts'
import type { InboxContext } from '../context.ts'
import { bodySql, pushTypes, writeDeliveries } from './store-entries.ts'

/** The first of several deliveries with the same bytes for the same event, and all of them. */
interface Duplicates extends EventDelivery {
  key: string
  sha256: string
  all: EventDelivery[]
}

const duplicateTypes = { key: 'text', event_id: 'text', sha256: 'text', count: 'integer' }

/**
 * Counts deliveries of known events, and returns those with the same bytes. An entry that came by
 * pull has no hash yet: the first push sets it.
 */
export async function countDuplicates(
  db: Queryable,
  { tables, source }: InboxContext,
  deliveries: readonly EventDelivery[],
): Promise<Set<EventDelivery>> {
  if (deliveries.length === 0) return new Set()
  const duplicates = groupByContent(deliveries)
  const written = writeDeliveries([...duplicates.values()], ({ key, sha256, event, all }) => ({
    key,
    event_id: event.id,
    sha256,
    count: all.length,
  }))
  const { rows } = await db.query<{ key: string }>(
    `with counted as (
       update ${tables.entry} entry set
         push_count = entry.push_count + duplicate.count,
         first_push_at = coalesce(entry.first_push_at, duplicate.received_at),
         last_push_at = greatest(entry.last_push_at, duplicate.received_at),
         signed_by = coalesce(entry.signed_by, duplicate.signed_by),
         signed_at = coalesce(entry.signed_at, duplicate.signed_at),
         sha256 = coalesce(entry.sha256, duplicate.sha256)
       from (
         select entry.id, entry.sha256 is null as is_first, delivery.*
         from ${recordsSql('$3', 'delivery', { ...duplicateTypes, ...pushTypes })}
         join ${tables.entry} entry on entry.source = $1 and entry.event_id = delivery.event_id
         where entry.sha256 is null or entry.sha256 = delivery.sha256
         order by entry.event_id
         for update of entry
       ) duplicate
       where entry.id = duplicate.id
       returning duplicate.*
     ),
     -- Joined to its entry, because Citus needs all workers for what selects from no table.
     bodies as (
       insert into ${tables.entryBody} (entry_id, body, headers)
       select id, ${bodySql}, headers from counted join ${tables.entry} entry using (id)
       where is_first
       on conflict (entry_id) do update set body = excluded.body, headers = excluded.headers
     )
     select key from counted`,
    [source, ...written],
    { isUrgent: true },
  )
  return new Set(rows.flatMap(({ key }) => duplicates.get(key)?.all ?? []))
}

function groupByContent(deliveries: readonly EventDelivery[]): Map<string, Duplicates> {
  const duplicates = new Map<string, Duplicates>()
  for (const delivery of deliveries) {
    const sha256 = hash('sha256', delivery.body)
    const key = `${sha256} ${delivery.event.id}`
    const same = duplicates.get(key)
    if (same) same.all.push(delivery)
    else duplicates.set(key, { ...delivery, key, sha256, all: [delivery] })
  }
  return duplicates
}

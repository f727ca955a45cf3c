import { hash } from 'node:crypto'
import type { EventDelivery } from '@feed-receiver/core'
import type { Queryable } from '@feed-receiver/database'
import type { Place } from '../queue/queue.ts'

/** The deliveries that brought the same bytes for the same event. */
interface Repeated {
  key: string
  sha256: string
  first: EventDelivery
  all: EventDelivery[]
}

/**
 * Counts deliveries of events that are known already, and gives those of them that brought the same
 * bytes. An entry that came by pull has no hash yet: the first push fills it in.
 */
export async function countRepeats(
  db: Queryable,
  { tables, source }: Place,
  deliveries: readonly EventDelivery[],
): Promise<Set<EventDelivery>> {
  if (deliveries.length === 0) return new Set()
  const repeated = groupByContent(deliveries)
  const contents = [...repeated.values()]
  const { rows } = await db.query<{ key: string }>(
    `with repeat as (
       select entry.id, delivery.*
       from unnest(
         $2::text[], $3::text[], $4::integer[], $5::bytea[], $6::text[], $7::text[],
         $8::timestamptz[], $9::jsonb[], $10::timestamptz[]
       ) as delivery (
         key, event_id, count, body, sha256, signed_by, signed_at, headers, received_at
       )
       join ${tables.entry} entry on entry.source = $1 and entry.event_id = delivery.event_id
       where entry.sha256 is null or entry.sha256 = delivery.sha256
       order by entry.event_id
       for update of entry
     )
     update ${tables.entry} entry set
       push_count = entry.push_count + repeat.count,
       first_push_at = coalesce(entry.first_push_at, repeat.received_at),
       last_push_at = greatest(entry.last_push_at, repeat.received_at),
       body = case when entry.sha256 is null then repeat.body else entry.body end,
       signed_by = coalesce(entry.signed_by, repeat.signed_by),
       signed_at = coalesce(entry.signed_at, repeat.signed_at),
       headers = case when entry.sha256 is null then repeat.headers else entry.headers end,
       sha256 = coalesce(entry.sha256, repeat.sha256)
     from repeat
     where entry.id = repeat.id
     returning repeat.key`,
    [
      source,
      contents.map(({ key }) => key),
      contents.map(({ first }) => first.event.id),
      contents.map(({ all }) => all.length),
      contents.map(({ first }) => first.body),
      contents.map(({ sha256 }) => sha256),
      contents.map(({ first }) => first.signedBy),
      contents.map(({ first }) => first.signedAt),
      contents.map(({ first }) => first.headers),
      contents.map(({ first }) => first.receivedAt),
    ],
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
    else repeated.set(key, { key, sha256, first: delivery, all: [delivery] })
  }
  return repeated
}

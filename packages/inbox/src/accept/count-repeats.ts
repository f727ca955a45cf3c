import type { EventDelivery } from '@feed-receiver/core'
import type { Queryable } from '@feed-receiver/database'

/** Names one content of one event. */
export function contentKey({ event, sha256 }: Pick<EventDelivery, 'event' | 'sha256'>): string {
  return `${sha256} ${event.id}`
}

/**
 * Counts deliveries of events that are known already, and gives the content keys of those that
 * brought the same bytes. An entry that came by pull has no hash yet: the first push fills it in.
 */
export async function countRepeats(
  db: Queryable,
  table: string,
  source: string,
  deliveries: readonly EventDelivery[],
): Promise<Set<string>> {
  if (deliveries.length === 0) return new Set()
  const counts = new Map<string, number>()
  for (const one of deliveries) {
    counts.set(contentKey(one), (counts.get(contentKey(one)) ?? 0) + 1)
  }
  const contents = [...new Map(deliveries.map((one) => [contentKey(one), one])).entries()]
  const { rows } = await db.query<{ contentKey: string }>(
    `with repeat as (
       select entry.id, delivery.*
       from unnest(
         $2::text[], $3::text[], $4::integer[], $5::bytea[], $6::text[], $7::text[],
         $8::timestamptz[], $9::jsonb[], $10::timestamptz[]
       ) as delivery (
         content_key, event_id, count, body, sha256, signed_by, signed_at, headers, received_at
       )
       join ${table} entry on entry.source = $1 and entry.event_id = delivery.event_id
       where entry.sha256 is null or entry.sha256 = delivery.sha256
       order by entry.event_id
       for update of entry
     )
     update ${table} entry set
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
     returning repeat.content_key as "contentKey"`,
    [
      source,
      contents.map(([key]) => key),
      contents.map(([, { event }]) => event.id),
      contents.map(([key]) => counts.get(key)),
      contents.map(([, { body }]) => body),
      contents.map(([, { sha256 }]) => sha256),
      contents.map(([, { signedBy }]) => signedBy),
      contents.map(([, { signedAt }]) => signedAt),
      contents.map(([, { headers }]) => headers),
      contents.map(([, { receivedAt }]) => receivedAt),
    ],
  )
  return new Set(rows.map((row) => row.contentKey))
}

import type { EventDelivery } from '@feed-receiver/core'
import { entryColumns } from './entry-columns.ts'

/** An entry that has just been stored for the first time. */
export interface NewEntry {
  id: number
  eventId: string
}

/**
 * The statement that stores the events that are not known yet and gives their entries; its values
 * are those of `entryValues`. In the order of their ids, since two groups that take the same rows in
 * different orders would lock each other out.
 */
export function insertEntriesSql(table: string): string {
  return `insert into ${table} (
      source, event_id, body, sha256, signed_by, signed_at, headers, notes,
      type, provider, category, subject_type, subject_key, title, confirmation, created_at,
      received_at, push_count, first_push_at, last_push_at
    )
    select $1, event_id, body, sha256, signed_by, signed_at, headers,
      coalesce(string_to_array(nullif(notes, ''), ' '), '{}'),
      type, provider, category, subject_type, subject_key, title, confirmation, created_at,
      received_at, 1, received_at, received_at
    from unnest(
      $2::text[], $3::bytea[], $4::text[], $5::text[], $6::timestamptz[], $7::jsonb[], $8::text[],
      $9::text[], $10::text[], $11::text[], $12::text[], $13::text[], $14::text[], $15::text[],
      $16::timestamptz[], $17::timestamptz[]
    ) as delivery (
      event_id, body, sha256, signed_by, signed_at, headers, notes,
      type, provider, category, subject_type, subject_key, title, confirmation,
      created_at, received_at
    )
    order by event_id
    on conflict (source, event_id) do nothing
    returning id, event_id as "eventId"`
}

/** The values of `insertEntriesSql`: an array for each column. */
export function entryValues(source: string, deliveries: readonly EventDelivery[]): unknown[] {
  const columns = deliveries.map(({ event }) => entryColumns(event))
  return [
    source,
    deliveries.map(({ event }) => event.id),
    deliveries.map(({ body }) => body),
    deliveries.map(({ sha256 }) => sha256),
    deliveries.map(({ signedBy }) => signedBy),
    deliveries.map(({ signedAt }) => signedAt),
    deliveries.map(({ headers }) => headers),
    deliveries.map(({ notes }) => notes.join(' ')),
    columns.map(({ type }) => type),
    columns.map(({ provider }) => provider),
    columns.map(({ category }) => category),
    columns.map(({ subjectType }) => subjectType),
    columns.map(({ subjectKey }) => subjectKey),
    columns.map(({ title }) => title),
    columns.map(({ confirmation }) => confirmation),
    columns.map(({ createdAt }) => createdAt),
    deliveries.map(({ receivedAt }) => receivedAt),
  ]
}

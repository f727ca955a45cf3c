import type { EventDelivery } from '@feed-receiver/core'
import { entryColumns } from '../entry/entry-columns.ts'
import { orderKeySql } from '../entry/order-key.ts'
import { sha256Sql } from '../entry/sha256-sql.ts'

/** An entry that has just been stored for the first time. */
export interface NewEntry {
  id: number
  eventId: string
}

const bodySql = 'substring($2::bytea from body_start + 1 for body_length)'

/**
 * The statement that stores the events that are not known yet and gives their entries, and what
 * queueing them takes; its values are those of `entryValues`. In the order of their ids, since two
 * groups that take the same rows in different orders would lock each other out.
 */
export function insertEntriesSql(table: string): string {
  return `insert into ${table} (
      source, event_id, body, sha256, signed_by, signed_at, headers, notes,
      type, provider, category, subject_type, subject_key, title, confirmation, created_at,
      received_at, push_count, first_push_at, last_push_at
    )
    select $1, event_id, ${bodySql}, ${sha256Sql(bodySql)},
      signed_by, signed_at, headers, notes,
      type, provider, category, subject_type, subject_key, title, confirmation, created_at,
      received_at, 1, received_at, received_at
    from json_to_recordset($3::json) as delivery (
      event_id text, body_start integer, body_length integer,
      signed_by text, signed_at timestamptz, headers jsonb, notes text[],
      type text, provider text, category text, subject_type text, subject_key text, title text,
      confirmation text, created_at timestamptz, received_at timestamptz
    )
    order by event_id
    on conflict (source, event_id) do nothing
    returning id, event_id as "eventId", ${orderKeySql} as "orderKey", received_at`
}

/**
 * The values of `insertEntriesSql`: all bodies as one piece of bytes, which nobody has to spell in
 * hex, and a JSON document of everything else.
 */
export function entryValues(source: string, deliveries: readonly EventDelivery[]): unknown[] {
  let bodyStart = 0
  const rows = deliveries.map((delivery) => {
    const row = entryRow(delivery, bodyStart)
    bodyStart += delivery.body.length
    return row
  })
  const bodies = deliveries.map(({ body }) => body)
  return [source, Buffer.concat(bodies), JSON.stringify(rows)]
}

function entryRow(delivery: EventDelivery, bodyStart: number): object {
  const { event, body, signedBy, signedAt, headers, notes, receivedAt } = delivery
  const columns = entryColumns(event)
  return {
    event_id: event.id,
    body_start: bodyStart,
    body_length: body.length,
    signed_by: signedBy,
    signed_at: signedAt,
    headers,
    notes,
    type: columns.type,
    provider: columns.provider,
    category: columns.category,
    subject_type: columns.subjectType,
    subject_key: columns.subjectKey,
    title: columns.title,
    confirmation: columns.confirmation,
    created_at: columns.createdAt,
    received_at: receivedAt,
  }
}

import type { EventDelivery } from '@feed-receiver/core'
import type { Queryable } from '@feed-receiver/database'
import { entryColumns, entryTypes, recordsSql } from '../entry/columns.ts'
import { insertJobsSql, queuedColumnsSql } from '../queue/insert-jobs.ts'
import { wakeSql } from '../queue/notify.ts'
import type { InboxContext } from '../context.ts'

/** An entry that has just been stored for the first time. */
export interface NewEntry {
  id: number
  eventId: string
}

/**
 * Creates the function that stores new events and queues a job for each, in one transaction and one
 * round trip:
 *
 *     stored   insert into entry … on conflict do nothing   the new rows
 *     bodies   insert into entry_body … from stored         their content
 *     queued   insert into job … from stored                their jobs, as pg-boss writes them
 *     woken    pg_notify, if anything was queued            notifies the workers at the commit
 *     select id, event_id from stored                       tells new events from known ones
 */
export function storeInOneStatement(context: InboxContext) {
  const text = storePushedSql(context)
  return async (db: Queryable, deliveries: readonly EventDelivery[]): Promise<NewEntry[]> => {
    if (deliveries.length === 0) return []
    const written = writeDeliveries(deliveries, ({ event, notes }) => entryColumns(event, notes))
    const values = [context.source, ...written]
    const options = { isRepeated: true, isUrgent: true }
    return (await db.query<NewEntry>(text, values, options)).rows
  }
}

/**
 * Runs the same statement without a delivery: it fails if the tables or the role do not fit. Opens
 * the connection of deliveries, before handlers may hold all others.
 */
export async function storeNothing(context: InboxContext): Promise<void> {
  const values = [context.source, Buffer.alloc(0), '[]']
  await context.database.query(storePushedSql(context), values, { isUrgent: true })
}

function storePushedSql(context: InboxContext): string {
  return storeSql(context, {
    rows: recordsSql('$3', 'delivery', { ...entryTypes, ...pushTypes }),
    taken: ['signed_by', 'signed_at', 'received_at'],
    computed: {
      sha256: sha256Sql(bodySql),
      push_count: '1',
      first_push_at: 'received_at',
      last_push_at: 'received_at',
    },
    content: { body: bodySql, headers: 'headers' },
  })
}

/** What a statement stores: rows with the columns of `entryTypes`, and columns of push or pull alone. */
interface ToStore {
  /** SQL for the rows, from the parameters after `$1`, which is the source. */
  rows: string
  /** The names of further columns that the rows have. */
  taken: readonly string[]
  /** Further columns as SQL over the rows. */
  computed: Readonly<Record<string, string>>
  /** The columns of the table of bodies as SQL over the rows. */
  content: Readonly<Record<string, string>>
}

/**
 * The statement sketched at `storeInOneStatement`, for push and pull. Sorts rows by event, because
 * two groups that insert the same rows in different orders would deadlock.
 */
export function storeSql(
  { tables, queue }: InboxContext,
  { rows, taken, computed, content }: ToStore,
): string {
  const names = [...Object.keys(entryTypes), ...taken].join(', ')
  return `with given as materialized (select * from ${rows}),
    stored as (
      insert into ${tables.entry} (source, ${names}, ${Object.keys(computed).join(', ')})
      select $1, ${names}, ${Object.values(computed).join(', ')}
      from given
      order by event_id
      on conflict (source, event_id) do nothing
      returning id, event_id as "eventId", ${queuedColumnsSql}
    ),
    bodies as (
      insert into ${tables.entryBody} (entry_id, ${Object.keys(content).join(', ')})
      select stored.id, ${Object.values(content).join(', ')}
      from given join stored on stored."eventId" = given.event_id
    ),
    queued as (${insertJobsSql(queue)}),
    woken as (${wakeSql(queue)} where exists (select from queued))
    select id, "eventId" from stored where (select count(*) from woken) >= 0`
}

/** SQL for the SHA-256 of bytes in hex. The database has more processors for it. */
export function sha256Sql(bytes: string): string {
  return `encode(sha256(${bytes}), 'hex')`
}

/** SQL for the body of a delivery, at the position that `writeDeliveries` gives. */
export const bodySql = 'substring($2::bytea from body_start + 1 for body_length)'

/** The columns that `writeDeliveries` fills itself, with their types. */
export const pushTypes = {
  body_start: 'integer',
  body_length: 'integer',
  signed_by: 'text',
  signed_at: 'timestamptz',
  headers: 'jsonb',
  received_at: 'timestamptz',
}

/**
 * The values `$2` and `$3` of a statement about deliveries. All bodies are one value of bytes,
 * which needs no hex encoding; everything else is JSON.
 */
export function writeDeliveries<Item extends EventDelivery>(
  deliveries: readonly Item[],
  columnsOf: (delivery: Item) => object,
): [bodies: Buffer, rows: string] {
  let bodyStart = 0
  const rows = deliveries.map((delivery) => {
    const { body, signedBy, signedAt, headers, receivedAt } = delivery
    // Not by a spread, which takes V8 longer, and leaves rows in the old generation of its heap.
    const row = Object.assign(columnsOf(delivery), {
      body_start: bodyStart,
      body_length: body.length,
      signed_by: signedBy,
      signed_at: signedAt,
      headers,
      received_at: receivedAt,
    })
    bodyStart += body.length
    return row
  })
  return [Buffer.concat(deliveries.map(({ body }) => body)), JSON.stringify(rows)]
}

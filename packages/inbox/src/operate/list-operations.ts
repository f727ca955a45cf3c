import type { Queryable } from '@feed-receiver/database'
import { isoTime } from '../entry/iso-time.ts'
import { checkPageSize } from '../entry/page-size.ts'
import type { Tables } from '../entry/tables.ts'

export type OperationKind = 'retry' | 'release' | 'discard'

export interface ListOperationsOptions {
  /** Only what was done to the entry of this event. */
  eventId?: string | undefined
  /** Where the page before ended: its `next`. */
  after?: number | undefined
  /**
   * How many operations a page may have, up to 500.
   * @default 50
   */
  limit?: number
}

/** What somebody did; the time is ISO 8601 in UTC. */
export interface OperationRow {
  id: number
  kind: OperationKind
  /** Who did it, where that was said. */
  by: string | null
  at: string
  /** How many entries it put back or stored. */
  entryCount: number
  /** The row of quarantine that it ended. */
  quarantineId: number | null
  /** The event of the entry, where it was done to one. */
  eventId: string | null
}

export interface OperationPage {
  operations: OperationRow[]
  /** For `after`, to get the page that follows; null at the end. */
  next: number | null
}

/** One page of what people have done, the latest first. */
export async function listOperations(
  db: Queryable,
  { entry, operation, operationEntry }: Tables,
  source: string,
  { eventId, after, limit = 50 }: ListOperationsOptions = {},
): Promise<OperationPage> {
  checkPageSize(limit)
  const isOfEvent =
    eventId === undefined
      ? '$3::text is null'
      : `id in (select operation_id from ${operationEntry} where entry_id =
           (select id from ${entry} where source = $1 and event_id = $3))`
  const { rows } = await db.query<OperationRow>(
    `select id, kind, done_by as by, ${isoTime('done_at')} as at, entry_count as "entryCount",
       quarantine_id as "quarantineId",
       case when entry_count = 1 then (
         select event_id from ${entry} entry
         join ${operationEntry} touched on touched.entry_id = entry.id
         where touched.operation_id = operation.id
       ) end as "eventId"
     from ${operation} operation
     where source = $1 and ($2::bigint is null or id < $2) and ${isOfEvent}
     order by id desc
     limit ${limit + 1}`,
    [source, after, eventId],
  )
  const operations = rows.slice(0, limit)
  return { operations, next: rows.length > limit ? (operations.at(-1)?.id ?? null) : null }
}

import type { Tx } from '@feed-receiver/database'
import { cleanText } from '../clean-text.ts'
import { isoTime } from '../entry/sql.ts'
import { readPage, type PageOf, type PageOptions } from './page.ts'
import type { InboxContext } from '../context.ts'

export type OperationKind = 'retry' | 'reprocess' | 'release' | 'discard' | 'pause' | 'resume'

export interface ListOperationsOptions extends PageOptions {
  /** Only operations on the entry of this event. */
  eventId?: string | undefined
}

export interface OperatorOptions {
  /** Who performs the operation; stored with the time. */
  by?: string | undefined
}

/** An operation that somebody performed. The time is ISO 8601 in UTC. */
export interface OperationRow {
  id: number
  kind: OperationKind
  /** Who performed it, if given. */
  by: string | null
  at: string
  /** How many entries it requeued or stored. */
  entryCount: number
  /** The quarantine row that it released or discarded. */
  quarantineId: number | null
  /** The event of the entry, if it was performed on one. */
  eventId: string | null
  /** Its target or reason, for people to read. */
  detail: string | null
}

export interface OperationPage extends PageOf<'operations', OperationRow> {}

export async function listOperations(
  { database, tables, source }: InboxContext,
  options: ListOperationsOptions = {},
): Promise<OperationPage> {
  const { eventId, after = null, limit = 50 } = options
  const { entry, operation, operationEntry } = tables
  const isOfEvent =
    eventId === undefined
      ? '$2::text is null'
      : `id in (select operation_id from ${operationEntry} where entry_id =
           (select id from ${entry} where source = $1 and event_id = $2))`
  const { rows: operations, next } = await readPage<OperationRow>(
    database,
    limit,
    `select id, kind, done_by as by, ${isoTime('done_at')} as at, entry_count as "entryCount",
       quarantine_id as "quarantineId", detail,
       case when entry_count = 1 then (
         select event_id from ${entry} entry
         join ${operationEntry} touched on touched.entry_id = entry.id
         where touched.operation_id = operation.id
       ) end as "eventId"
     from ${operation} operation
     where source = $1 and ${isOfEvent} and ($3::bigint is null or id < $3)
     order by id desc`,
    [source, eventId, after],
  )
  return { operations, next }
}

interface OperationOptions {
  quarantineId?: number | undefined
  detail?: string | undefined
}

/** Records an operation, and who performs it if given, in the operation's own transaction. */
export async function recordOperation(
  tx: Tx,
  context: InboxContext,
  kind: OperationKind,
  by: string | undefined,
  entryIds: readonly number[],
  options: OperationOptions = {},
): Promise<void> {
  await tx.query(
    `with stored as (select unnest($6::bigint[]) as id), ${operationSql(context, 1)}
     select id from operated`,
    [...operationValues(context, kind, by, options), entryIds],
  )
}

/**
 * Like `recordOperation`, as parts of the statement that changes the entries of `stored`. Its
 * parameters are numbered from `first`, and `operationValues` has their values.
 */
export function operationSql(
  { tables }: Pick<InboxContext, 'tables'>,
  first: number,
  condition = 'true',
): string {
  const at = (n: number) => `$${first + n}`
  return `operated as (
      insert into ${tables.operation} (source, kind, done_by, entry_count, quarantine_id, detail)
      select ${at(0)}, ${at(1)}, ${at(2)}, (select count(*) from stored), ${at(3)}::bigint, ${at(4)}
      where ${condition}
      returning id
    ),
    touched as (
      insert into ${tables.operationEntry} (entry_id, operation_id)
      select stored.id, operated.id from stored, operated
    )`
}

export function operationValues(
  { source }: InboxContext,
  kind: OperationKind,
  by: string | undefined,
  { quarantineId, detail }: OperationOptions,
): unknown[] {
  return [source, kind, clean(by), quarantineId, clean(detail)]
}

function clean(text: string | undefined): string | null {
  return text === undefined ? null : cleanText(text)
}

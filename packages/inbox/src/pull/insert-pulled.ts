import type { Tx } from '@feed-receiver/database'
import type { NewEntry } from '../accept/insert-entries.ts'
import { insertJobsSql, wakeSql } from '../queue/insert-jobs.ts'
import { orderKeySql } from '../entry/order-key.ts'
import { rowColumnsSql, writeRows, type PulledRow } from './pulled-row.ts'
import type { Queue } from '../queue/queue.ts'

export interface InsertPulledOptions {
  table: string
  source: string
  queue: Queue
}

export interface PulledPage {
  rows: readonly PulledRow[]
  /** When the page came. */
  at: Date
  /** Whether pushing should have brought a row, too; null where nobody has said. */
  isPushExpected: (row: PulledRow) => boolean | null
}

/** Stores what is not known yet, with its jobs, in the order in which the rows stand. */
export async function insertPulled(
  tx: Tx,
  { rows, at, isPushExpected }: PulledPage,
  { table, source, queue }: InsertPulledOptions,
): Promise<NewEntry[]> {
  if (rows.length === 0) return []
  const columnsOf = (row: PulledRow) => ({ push_expected: isPushExpected(row) })
  const values = [source, writeRows(rows, columnsOf), at]
  const entries = await tx.query<NewEntry>(insertAndQueueSql(table, queue), values)
  return entries.rows
}

function insertAndQueueSql(table: string, queue: Queue): string {
  return `with stored as (${insertSql(table)}),
    queued as (${insertJobsSql(queue)}),
    woken as (${wakeSql(queue)} where exists (select from queued))
    select id, "eventId" from stored where (select count(*) from woken) >= 0`
}

// In the order of their ids, as the groups of deliveries are, which would otherwise lock each other
// out; a microsecond for each keeps the order of the feed for lists and for an ordered queue.
function insertSql(table: string): string {
  return `insert into ${table} (
      source, event_id, notes, type, provider, category, subject_type, subject_key, title,
      confirmation, created_at, received_at, via, change, pulled_at, push_expected, pull,
      content_hash, pull_hash, corrected_at, retracted_at
    )
    select $1, event_id, notes, type, provider, category, subject_type, subject_key, title,
      confirmation, created_at, $3::timestamptz + place * interval '1 microsecond', 'pull',
      case when retracted_at is null then 'new' else 'retraction' end, $3, push_expected, pull,
      content_hash, pull_hash, corrected_at, retracted_at
    from rows from (
      json_to_recordset($2::json) as (${rowColumnsSql}, push_expected boolean)
    ) with ordinality as pulled (
      event_id, notes, type, provider, category, subject_type, subject_key, title, confirmation,
      created_at, pull, content_hash, pull_hash, corrected_at, retracted_at, push_expected, place
    )
    order by event_id
    on conflict (source, event_id) do nothing
    returning id, event_id as "eventId", ${orderKeySql} as "orderKey", received_at`
}

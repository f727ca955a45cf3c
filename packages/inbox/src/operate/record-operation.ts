import type { Queryable } from '@feed-receiver/database'
import { cleanText } from '../entry/clean-text.ts'
import type { OperationKind } from './list-operations.ts'
import type { Tables } from '../entry/tables.ts'

export interface OperationToRecord {
  kind: OperationKind
  /** Who does it, where that was said. */
  by: string | undefined
  entryIds?: readonly number[]
  quarantineId?: number
}

/** Keeps what somebody does, in the transaction that does it. */
export async function recordOperation(
  db: Queryable,
  { operation, operationEntry }: Pick<Tables, 'operation' | 'operationEntry'>,
  source: string,
  { kind, by, entryIds = [], quarantineId }: OperationToRecord,
): Promise<void> {
  const who = by === undefined ? null : cleanText(by)
  const { rows } = await db.query<{ id: number }>(
    `insert into ${operation} (source, kind, done_by, entry_count, quarantine_id)
     values ($1, $2, $3, $4, $5) returning id`,
    [source, kind, who, entryIds.length, quarantineId ?? null],
  )
  if (entryIds.length === 0) return
  await db.query(
    `insert into ${operationEntry} (entry_id, operation_id) select unnest($1::bigint[]), $2`,
    [entryIds, rows[0]?.id],
  )
}

import { cleanText } from '../entry/columns.ts'
import { isoTime } from '../entry/sql.ts'
import type { InboxStore } from '../context.ts'
import type { AuditCounts } from './tally.ts'

/** A statement that somebody has signed. The time is ISO 8601 in UTC. */
export interface AuditSignature {
  by: string
  at: string
  /** The head of the chain at that time, in hex. */
  head: string
  counts: AuditCounts
}

/** Lists the signatures of a month, earliest first. */
export async function listSignatures(
  { database, tables, source }: InboxStore,
  month: string,
): Promise<AuditSignature[]> {
  const { rows } = await database.query<AuditSignature>(
    `select signed_by as by, ${isoTime('signed_at')} as at, encode(head, 'hex') as head, counts
     from ${tables.signedStatement} where source = $1 and month = $2 order by id`,
    [source, month],
  )
  return rows
}

/** Stores who has signed a statement. */
export async function storeSignature(
  { database, tables, source }: InboxStore,
  month: string,
  { by, head, counts }: Omit<AuditSignature, 'at'>,
): Promise<void> {
  await database.query(
    `insert into ${tables.signedStatement} (source, month, head, counts, signed_by)
     values ($1, $2, decode($3, 'hex'), $4::jsonb, $5)`,
    [source, month, head, JSON.stringify(counts), cleanText(by)],
  )
}

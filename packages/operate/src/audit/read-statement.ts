import { codeOf, isError } from '@feed-receiver/core/internal'
import type { OperationKind, QuarantineState } from '@feed-receiver/inbox'
import { cleanText, isoTime } from '@feed-receiver/inbox/internal'
import type { InboxStore } from '@feed-receiver/inbox/extend'
import { auditDays, type AuditedDays } from './audit-days.ts'
import type { AuditPeriod } from './period.ts'
import { createSealing, sealWaitMs } from './seal-days.ts'
import { auditTablesOf } from './tables.ts'
import type { AuditCounts } from './counts.ts'

/** The statement of one inbox, or of one shard. */
export interface AuditStatement extends AuditedDays, AuditRecords {
  /** Whether every day of the period is sealed. The head of an open day may still change. */
  isSealed: boolean
  /** Whether this process may not write, as on a standby, so that days stay unsealed. */
  isReadOnly: boolean
  /** Earlier signatures of this month. */
  signatures: AuditSignature[]
}

const noRight = ['42501', '25006']

/** Seals the days that have ended, and reads the statement of a period. */
export async function readStatement(
  context: InboxStore,
  period: AuditPeriod,
): Promise<AuditStatement> {
  const isReadOnly = await sealOrSkip(context)
  const audited = await auditDays(context, period)
  const isSealed = !period.isPartial && audited.days.every(({ sealed }) => sealed !== null)
  return {
    ...audited,
    ...(await readRecords(context, period)),
    isSealed,
    isReadOnly,
    signatures: await listSignatures(context, period.month),
  }
}

/** Returns whether the role may not write, or the server accepts only reads. */
async function sealOrSkip(context: InboxStore): Promise<boolean> {
  try {
    await createSealing(context)({ waitMs: sealWaitMs })
    return false
  } catch (error) {
    // The database reports a standby as `unavailable`, with the error of the server as its cause.
    const cause = isError(error) ? error.cause : undefined
    if (![error, cause].some((one) => noRight.includes(codeOf(one) ?? ''))) throw error
    return true
  }
}

/** The records of a period that belong to no entry. */
export interface AuditRecords {
  /** Deliveries that went into quarantine in the period, by their state now. */
  quarantined: { reason: string; state: QuarantineState; count: number }[]
  /** Rejected deliveries by reason. Nothing of them was stored. */
  rejected: { reason: string; count: number }[]
  /** What operators did in the period, and to how many entries. */
  operations: { kind: OperationKind; count: number; entryCount: number }[]
  streams: AuditStream[]
}

/** The part of the period that a stream of the pull API has read. Times are ISO 8601 in UTC. */
export interface AuditStream {
  stream: string
  startedAt: string
  /** Null before the first page. */
  polledAt: string | null
  /** Where the stream lost its cursor, so that events in between may be missing. */
  gaps: { since: string | null; until: string; code: string }[]
}

/** Reads the records of a period. Retention deletes old ones. */
async function readRecords(
  { database, tables, source }: InboxStore,
  { from, until }: AuditPeriod,
): Promise<AuditRecords> {
  const isWithin = (column: string) =>
    `source = $1 and ${column} >= $2::timestamptz and ${column} < $3::timestamptz`
  const list = (query: string) => `(select coalesce(json_agg(listed), '[]') from (${query}) listed)`
  const { rows } = await database.query<AuditRecords>(
    `select ${list(
      `select reason, state, count(*) from ${tables.quarantine}
       where ${isWithin('first_seen_at')} group by reason, state order by reason, state`,
    )} as quarantined,
     ${list(
       `select reason, sum(count) as count from ${tables.rejection}
        where ${isWithin('hour')} group by reason order by reason`,
     )} as rejected,
     ${list(
       `select kind, count(*), sum(entry_count) as "entryCount" from ${tables.operation}
        where ${isWithin('done_at')} group by kind order by kind`,
     )} as operations,
     ${list(
       `select stream, ${isoTime('started_at')} as "startedAt", ${isoTime('polled_at')} as "polledAt",
          ${list(
            `select ${isoTime('since')} as since, ${isoTime('until')} as until, code
             from ${tables.streamGap} gap
             where gap.source = $1 and gap.stream = read.stream and gap.until > $2::timestamptz
               and coalesce(gap.since, '-infinity') < $3::timestamptz
             order by id`,
          )} as gaps
        from ${tables.stream} read where source = $1 order by stream`,
     )} as streams`,
    [source, from, until],
  )
  return rows[0] ?? { quarantined: [], rejected: [], operations: [], streams: [] }
}

/** A statement that somebody has signed. The time is ISO 8601 in UTC. */
export interface AuditSignature {
  by: string
  at: string
  /** The head of the chain at that time, in hex. */
  head: string
  counts: AuditCounts
}

async function listSignatures(
  { database, tables, source }: InboxStore,
  month: string,
): Promise<AuditSignature[]> {
  const { rows } = await database.query<AuditSignature>(
    `select signed_by as by, ${isoTime('signed_at')} as at, encode(head, 'hex') as head, counts
     from ${auditTablesOf({ tables }).signedStatement} where source = $1 and month = $2 order by id`,
    [source, month],
  )
  return rows
}

export async function storeSignature(
  { database, tables, source }: InboxStore,
  month: string,
  { by, head, counts }: Omit<AuditSignature, 'at'>,
): Promise<void> {
  await database.query(
    `insert into ${auditTablesOf({ tables }).signedStatement} (source, month, head, counts, signed_by)
     values ($1, $2, decode($3, 'hex'), $4::jsonb, $5)`,
    [source, month, head, JSON.stringify(counts), cleanText(by)],
  )
}

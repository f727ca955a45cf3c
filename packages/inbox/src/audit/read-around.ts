import { isoTime } from '../entry/sql.ts'
import type { OperationKind } from '../admin/operations.ts'
import type { QuarantineState } from '../admin/quarantined.ts'
import type { InboxStore } from '../context.ts'
import type { AuditPeriod } from './period.ts'

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
export async function readRecords(
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
       `select reason, sum(count) as count from ${tables.refusal}
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

import { isoTime } from '../entry/sql.ts'
import type { InboxStore } from '../context.ts'
import { dayAfter } from '../seal/day.ts'
import type { AuditPeriod } from './period.ts'
import type { AuditCounts } from './tally.ts'

/** A row of `sealed_day`. Hashes are in hex. */
export interface SealedDay {
  day: string
  uptoId: number
  count: number
  digest: string
  head: string
  sealedAt: string
  /** What retention has deleted of it. */
  removed: Pick<
    AuditCounts,
    'removed' | 'testDeliveries' | 'done' | 'pushed' | 'pulled' | 'deliveries'
  >
  removedAt: string | null
}

export interface SealedDays {
  byDay: Map<string, SealedDay>
  /** The first and the latest sealed day of all; null if no day is sealed. */
  first: string | null
  last: string | null
  /** The day of the earliest entry; null if there is none. */
  firstEntry: string | null
}

/** Reads the sealed days of a period, and the one from which its chain continues. */
export async function readSealed(context: InboxStore, period: AuditPeriod): Promise<SealedDays> {
  const { database, tables, source } = context
  const { rows: ends } = await database.query<Omit<SealedDays, 'byDay'>>(
    `select to_char(min(day), 'YYYY-MM-DD') as first, to_char(max(day), 'YYYY-MM-DD') as last, (
       select to_char(min(received_at) at time zone 'UTC', 'YYYY-MM-DD')
       from ${tables.entry} where source = $1
     ) as "firstEntry"
     from ${tables.sealedDay} where source = $1`,
    [source],
  )
  const { first = null, last = null, firstEntry = null } = ends[0] ?? {}
  const before = dayAfter(period.firstDay, -1)
  const begin = last !== null && last < before ? last : before
  const { rows } = await database.query<SealedDay>(
    `select to_char(day, 'YYYY-MM-DD') as day, upto_id as "uptoId", entry_count as count,
       encode(digest, 'hex') as digest, encode(head, 'hex') as head,
       ${isoTime('sealed_at')} as "sealedAt", ${isoTime('removed_at')} as "removedAt",
       json_build_object(
         'removed', removed_count, 'testDeliveries', removed_tests, 'done', removed_done,
         'pushed', removed_pushed, 'pulled', removed_pulled, 'deliveries', removed_deliveries
       ) as removed
     from ${tables.sealedDay}
     where source = $1 and day >= $2::date and day <= $3::date
     order by day`,
    [source, begin, period.lastDay],
  )
  return { byDay: new Map(rows.map((row) => [row.day, row])), first, last, firstEntry }
}

import { readPage, type PageOf, type PageOptions } from './page.ts'
import {
  boundedCount,
  countSql,
  countUpTo,
  isBehindSql,
  isoTime,
  newestFirstSql,
  type BoundedCount,
} from '../entry/sql.ts'
import type { Tables } from '../entry/tables.ts'
import { checkOption } from '../errors.ts'
import type { InboxContext } from '../context.ts'
import type { EntryRow } from './list-entries.ts'

export interface ListGapsOptions extends GapsAsOf, PageOptions {
  /**
   * `missed`: only events that your rules should have pushed; `pull_only`: all events that only
   * pull brought.
   * @default 'missed'
   */
  kind?: 'missed' | 'pull_only'
}

export interface GapsAsOf {
  /**
   * The time to check at.
   * @default new Date()
   */
  asOf?: Date | undefined
}

type GapFields = 'id' | 'eventId' | 'type' | 'provider' | 'title' | 'createdAt'

/** An event that pull saw and push never delivered. Times are ISO 8601 in UTC. */
export interface GapRow extends Pick<EntryRow, GapFields> {
  pulledAt: string
  /** Whether your rules should have pushed it; null if the poller has no `expects`. */
  expected: boolean | null
}

export interface GapPage extends PageOf<'gaps', GapRow> {}

export interface GapCounts {
  /** Missed events that your rules should have pushed, counted up to 1,000. */
  missed: BoundedCount
  /** All events that only pull brought, counted up to 1,000. */
  pullOnly: BoundedCount
  /**
   * Set if events were missed since the latest push, so that the destination is probably paused.
   * Only a test delivery, sent from the service's dashboard, activates it again.
   */
  probablePause: ProbablePause | null
}

export interface ProbablePause {
  /** The events missed since then, counted up to 1,000. */
  missed: BoundedCount
  /** When push last delivered an event; null if it never did, as far as known. */
  lastPushAt: string | null
}

/** A period in which a stream may have missed events, because its cursor was lost. */
export interface StreamGapRow {
  id: number
  stream: string
  since: string | null
  until: string
  code: string
}

/**
 * The time after which push no longer delivers an event that pull has seen. Eight attempts end
 * after 63.5 minutes, each takes up to 10 seconds, and the rest is a safety margin.
 */
const pushEndsAfterMinutes = 90

export async function listGaps(
  { database, tables, source }: InboxContext,
  options: ListGapsOptions = {},
): Promise<GapPage> {
  const { asOf = new Date(), kind = 'missed', after = null, limit = 50 } = options
  checkOption(kind === 'missed' || kind === 'pull_only', 'kind: use missed or pull_only.')
  const { rows: gaps, next } = await readPage<GapRow>(
    database,
    limit,
    `select id, event_id as "eventId", type, provider, title, ${isoTime('created_at')} as "createdAt",
       ${isoTime('pulled_at')} as "pulledAt", push_expected as expected
     from ${tables.entry}
     where ${isGap(kind)} and ${isBehindSql(tables.entry, 'pulled_at', '<', '$3')}
     order by pulled_at desc, id desc`,
    [source, asOf, after],
  )
  return { gaps, next }
}

export async function countGaps(
  context: InboxContext,
  { asOf = new Date() }: GapsAsOf = {},
): Promise<GapCounts> {
  const { database, tables, source } = context
  const counted = (condition: string) =>
    countSql(`select 1 from ${tables.entry} where ${condition}`)
  const { rows } = await database.query<
    Record<'missed' | 'pullOnly' | 'missedSince', number> & { lastPushAt: string | null }
  >(
    `with latest as (${lastPushSql(tables)})
     select ${counted(isGap('missed'))} as missed, ${counted(isGap('pull_only'))} as "pullOnly",
       ${counted(`${isGap('missed')} and pulled_at > coalesce((select at from latest), '-infinity')`)}
         as "missedSince",
       (select ${isoTime('at')} from latest) as "lastPushAt"`,
    [source, asOf],
  )
  const { missed = 0, pullOnly = 0, missedSince = 0, lastPushAt = null } = rows[0] ?? {}
  return {
    missed: boundedCount(missed),
    pullOnly: boundedCount(pullOnly),
    probablePause: missedSince === 0 ? null : { missed: boundedCount(missedSince), lastPushAt },
  }
}

/** A test of `check` or `doctor` shows nothing of the service, whose destination may be paused. */
export const isPushSql = `not notes @> '{check}'`

// Reads only the newest entries, which are cheap to find. If push brought none of them, there was
// no recent push.
export function lastPushSql({ entry }: Tables): string {
  return `select max(last_push_at) filter (where ${isPushSql}) as at from (
      select last_push_at, notes from ${entry} where source = $1
      ${newestFirstSql} limit ${countUpTo}
    ) newest`
}

/** When push last delivered an event, as far as known; null if it never did. */
export async function findLastPush(context: InboxContext): Promise<string | null> {
  const { rows } = await context.database.query<{ at: string | null }>(
    `select ${isoTime('at')} as at from (${lastPushSql(context.tables)}) latest`,
    [context.source],
  )
  return rows[0]?.at ?? null
}

export async function listStreamGaps(context: InboxContext): Promise<StreamGapRow[]> {
  const { database, tables, source } = context
  const { rows } = await database.query<StreamGapRow>(
    `select id, stream, ${isoTime('since')} as since, ${isoTime('until')} as until, code
     from ${tables.streamGap} where source = $1 order by id desc limit 100`,
    [source],
  )
  return rows
}

/** Events from before the stream began were never expected, and are no gap of either kind. */
export function isGap(kind: 'missed' | 'pull_only', asOf = '$2::timestamptz'): string {
  return `source = $1 and push_count = 0
    and pulled_at < ${asOf} - interval '${pushEndsAfterMinutes} minutes'
    and push_expected is ${kind === 'missed' ? 'true' : 'distinct from false'}`
}

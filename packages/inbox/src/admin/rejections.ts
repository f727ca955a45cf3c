import { afterStatus } from '@feed-receiver/core/internal'
import { reasons, type Meaning } from '@feed-receiver/core'
import { isoTime } from '../entry/sql.ts'
import { checkOption } from '../errors.ts'
import type { InboxContext } from '../context.ts'
import { explainFault, isSqlState } from '../sql-states.ts'

export interface RejectionsOptions {
  /**
   * How many hours back to look. Counts are stored by the hour, so the oldest hour may count in
   * full.
   * @default 24
   */
  hours?: number
}

/** The deliveries that were rejected for one reason. Times are ISO 8601 in UTC. */
export interface RejectionRow {
  /** A `Rejected` of core, or `other` for a rejection by code around the inbox. */
  reason: string
  count: number
  lastAt: string
  /** The status of the latest response; 0 if it was no valid status. */
  status: number
  /** The sender's reaction to that status. A pause stops the whole feed. */
  sender: Meaning['sender']
  /** The error on this side, such as that of the database; null if the reason says it. */
  cause: string | null
  /** How to fix it. */
  fix: string
}

/** Sums up rejections by reason: those that pause the feed first, then the latest. */
export async function listRejections(
  context: InboxContext,
  { hours = 24 }: RejectionsOptions = {},
): Promise<RejectionRow[]> {
  const { database, tables, source } = context
  checkOption(hours > 0 && hours <= 24 * 366, 'hours: use a number above 0, up to a year.')
  const { rows } = await database.query<Omit<RejectionRow, 'sender' | 'fix'>>(
    `select reason, sum(count)::bigint as count, ${isoTime('max(last_at)')} as "lastAt",
       (array_agg(status order by hour desc))[1] as status,
       (array_agg(cause order by hour desc) filter (where cause is not null))[1] as cause
     from ${tables.rejection}
     where source = $1 and last_at >= now() - $2::float8 * interval '1 hour'
     group by reason
     order by max(last_at) desc, reason`,
    [source, hours],
  )
  const found = rows.map((row) => ({
    ...row,
    sender: afterStatus(row.status),
    ...explain(row, context),
  }))
  const isPause = ({ sender }: RejectionRow) => sender === 'pause'
  return [...found.filter(isPause), ...found.filter((row) => !isPause(row))]
}

/** Only the code of an error is stored if its message may quote a row. */
function explain({ reason, cause }: Pick<RejectionRow, 'reason' | 'cause'>, context: InboxContext) {
  if (!isSqlState(cause ?? undefined)) return { cause, fix: fixOf(reason) }
  const fault = explainFault(Object.assign(new Error(), { code: cause }), context)
  return { cause: fault.reason, fix: fault.fix }
}

/** Other versions of the kit may have stored reasons that this one does not know. */
export function meaningOf(reason: string): Meaning | undefined {
  const known: Readonly<Record<string, Meaning>> = reasons
  return Object.hasOwn(known, reason) ? known[reason] : undefined
}

export function fixOf(reason: string): string {
  return (
    meaningOf(reason)?.fix ??
    'The receiver does not define this reason. Look for it in the code around the inbox, or update this package.'
  )
}

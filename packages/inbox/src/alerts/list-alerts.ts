import { checkPageSize } from '../entry/page.ts'
import { isoTime } from '../entry/sql.ts'
import type { Place } from '../queue/queue.ts'
import { mendOf } from './rules.ts'

/** An alert; times are ISO 8601 in UTC. */
export interface AlertRow {
  id: number
  /** The name of its rule, such as `dead` or `probable_pause`. */
  rule: string
  /** What of several things it is about, such as a type or a stream; '' where there is only one. */
  subject: string
  /** What was found when it opened. */
  message: string
  /** What to do about it, in one line. */
  mend: string
  openedAt: string
  /** Null while it is open. */
  closedAt: string | null
}

export interface ListAlertsOptions {
  /**
   * How many, up to 500.
   * @default 50
   */
  limit?: number
}

/** SQL for the columns of an alert, but for what to do about it. */
export const alertColumns = `id, rule, subject, message, ${isoTime('opened_at')} as "openedAt",
  ${isoTime('closed_at')} as "closedAt"`

/** Lists the open alerts, and behind them those that closed, both the latest first. */
export async function listAlerts(
  { database, tables, source }: Place,
  { limit = 50 }: ListAlertsOptions = {},
): Promise<AlertRow[]> {
  checkPageSize(limit)
  const latest = (condition: string) =>
    `(select ${alertColumns} from ${tables.alert}
      where source = $1 and opened_at is not null and ${condition} order by id desc limit ${limit})`
  const { rows } = await database.query<Omit<AlertRow, 'mend'>>(
    `select * from (${latest('closed_at is null')} union all ${latest('closed_at is not null')}) alert
     order by "closedAt" is null desc, id desc limit ${limit}`,
    [source],
  )
  return rows.map((row) => ({ ...row, mend: mendOf(row.rule) }))
}

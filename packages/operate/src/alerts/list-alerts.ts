import { isoTime } from '@feed-receiver/inbox/internal'
import type { InboxStore } from '@feed-receiver/inbox/extend'
import { checkOption } from '../errors.ts'
import { partsOfRule } from './rules.ts'
import { alertTableOf } from './tables.ts'

/** An alert. Times are ISO 8601 in UTC. */
export interface AlertRow {
  /** 0 for an alert that the database could not store. */
  id: number
  /** The name of its rule, such as `dead` or `probable_pause`. */
  rule: string
  /**
   * The type, secret, stream or problem that the alert is about; '' if the rule covers the whole
   * inbox.
   */
  subject: string
  /** The message from the time it opened. */
  message: string
  /** How to fix the problem, in one line. */
  fix: string
  /** Whether only alerts find the problem, because you turned its rule on. The health never does. */
  isOptional: boolean
  openedAt: string
  /** Null while it is open. */
  closedAt: string | null
}

/** The columns of an alert. The rest comes from its rule. */
export type StoredAlert = Omit<AlertRow, 'fix' | 'isOptional'>

export interface ListAlertsOptions {
  /**
   * Lists only open or only closed alerts.
   * @default both
   */
  state?: 'open' | 'closed' | undefined
  /**
   * The maximum number of alerts, up to 500.
   * @default 50
   */
  limit?: number | undefined
}

/** SQL for the columns of an alert, except those of its rule. */
export const alertColumns = `id, rule, subject, message, ${isoTime('opened_at')} as "openedAt",
  ${isoTime('closed_at')} as "closedAt"`

const maxLimit = 500
const conditions = { open: 'closed_at is null', closed: 'closed_at is not null' }

/** Lists the open alerts, then the closed ones, each latest first. Errors: `bad_option`. */
export async function listAlerts(
  context: InboxStore,
  { state, limit = 50 }: ListAlertsOptions = {},
): Promise<AlertRow[]> {
  const { database, source } = context
  const isLimit = Number.isInteger(limit) && limit >= 1 && limit <= maxLimit
  checkOption(isLimit, `limit: use a whole number from 1 to ${maxLimit}.`)
  const isState = state === undefined || Object.hasOwn(conditions, state)
  checkOption(isState, `state: use 'open' or 'closed'.`)
  const wanted = state === undefined ? Object.values(conditions) : [conditions[state]]
  const latest = wanted.map(
    (condition) =>
      `(select ${alertColumns} from ${alertTableOf(context)}
        where source = $1 and opened_at is not null and ${condition}
        order by id desc limit ${limit})`,
  )
  const { rows } = await database.query<StoredAlert>(
    `select * from (${latest.join(' union all ')}) alert
     order by "closedAt" is null desc, id desc limit ${limit}`,
    [source],
  )
  return rows.map((row) => ({ ...row, ...partsOfRule(row.rule) }))
}

import type { InboxContext } from '../context.ts'
import { InboxError } from '../errors.ts'
import { withTimeout } from '../timeout.ts'
import { alertColumns, type AlertRow } from './list-alerts.ts'
import { isUntoldSql } from './facts-sql.ts'
import { fixOf } from './rules.ts'

/** An opening or closing alert, as a notification has it. Times are ISO 8601 in UTC. */
export interface Alert extends AlertRow {
  /** Whether it opened or closed. Both are sent, in this order. */
  state: 'open' | 'closed'
  /** The name of the feed, as passed to `createInbox`. */
  source: string
  /**
   * The same for each attempt to send this notification. Notifications are sent at least once: if a
   * process is killed after sending and before storing that, another process sends it again.
   */
  idempotencyKey: string
}

/** Sends a notification. If it throws, the error is reported and the notification retried later. */
export type Notify = (alert: Alert, options: { signal: AbortSignal }) => unknown

export interface Telling {
  notify: Notify
  onError: (error: unknown) => void
  asOf: Date | undefined
}

/** The timeout of a notification. */
const notifyMs = 10_000
/** The lease of a notification: its timeout, and some time to store the result. */
const leaseSeconds = 30
/** The maximum number of concurrent notifications. */
const batchSize = 20

/** Sends each pending notification of an opening or closing, several concurrently. */
export async function tellAlerts(context: InboxContext, telling: Telling): Promise<void> {
  // An alert that closed before its opening was sent comes up again for its closing.
  for (;;) {
    const alerts = await takeUntold(context, telling.asOf)
    if (alerts.length === 0) return
    await Promise.all(alerts.map((alert) => tell(context, alert, telling)))
  }
}

async function tell(context: InboxContext, alert: Alert, telling: Telling): Promise<void> {
  const { onError, asOf } = telling
  try {
    await tellOne(alert, telling)
  } catch (error) {
    onError(error)
    await postpone(context, alert, asOf)
    return
  }
  await noteTold(context, alert, asOf)
}

/** Sends one notification in time. Errors: those of `notify`, and `not_told`. */
export async function tellOne(alert: Alert, { notify }: Pick<Telling, 'notify'>): Promise<void> {
  const signal = AbortSignal.timeout(notifyMs)
  const late = () =>
    new InboxError('not_told', `Sending alert ${alert.id} timed out after ${notifyMs} ms.`)
  await withTimeout((async () => notify(alert, { signal }))(), notifyMs, late)
}

// Not one expression for both: Citus takes no clock in a COALESCE.
const at = (asOf: Date | undefined) => (asOf === undefined ? 'now()' : '$2::timestamptz')
const valuesOf = (first: string | number, asOf: Date | undefined) =>
  asOf === undefined ? [first] : [first, asOf]

/** Takes the lease of pending notifications that no other process is sending. */
async function takeUntold(
  { database, tables, source }: InboxContext,
  asOf: Date | undefined,
): Promise<Alert[]> {
  const { rows } = await database.query<Omit<AlertRow, 'fix'> & { isOpening: boolean }>(
    `with taken as (
       update ${tables.alert} set telling_until = ${at(asOf)} + interval '${leaseSeconds} seconds'
       where id in (
         select id from ${tables.alert}
         where source = $1 and ${isUntoldSql}
           and (telling_until is null or telling_until <= ${at(asOf)})
         order by id limit ${batchSize} for update skip locked
       )
       returning id, rule, subject, message, opened_at, closed_at, opening_told_at
     )
     select ${alertColumns}, opening_told_at is null as "isOpening" from taken`,
    valuesOf(source, asOf),
  )
  return rows
    .toSorted((one, other) => one.id - other.id)
    .map(({ isOpening, closedAt, ...row }) => {
      const state = isOpening ? 'open' : 'closed'
      const idempotencyKey = `${source}/${row.id}/${state}`
      const fix = fixOf(row.rule)
      return { ...row, fix, closedAt: isOpening ? null : closedAt, state, source, idempotencyKey }
    })
}

async function noteTold(
  { database, tables }: InboxContext,
  { id, state }: Alert,
  asOf: Date | undefined,
): Promise<void> {
  const column = state === 'open' ? 'opening_told_at' : 'closing_told_at'
  await database.query(
    `update ${tables.alert}
     set ${column} = ${at(asOf)}, telling_until = null, telling_failures = 0
     where id = $1 and ${column} is null`,
    valuesOf(id, asOf),
  )
}

/** Retries after half a minute, and doubles the backoff with each failure, up to an hour. */
async function postpone(
  { database, tables }: InboxContext,
  { id }: Alert,
  asOf: Date | undefined,
): Promise<void> {
  await database.query(
    `update ${tables.alert} set telling_failures = telling_failures + 1,
       telling_until = to_timestamp(
         extract(epoch from ${at(asOf)})::float8 + least(30 * 2 ^ least(telling_failures, 10), 3600)
       )
     where id = $1`,
    valuesOf(id, asOf),
  )
}

import { withTimeout } from '@feed-receiver/inbox/internal'
import type { InboxStore } from '@feed-receiver/inbox/extend'
import { OperateError } from '../errors.ts'
import { alertColumns, type AlertRow, type StoredAlert } from './list-alerts.ts'
import { partsOfRule } from './rules.ts'
import { alertTableOf, isUnnotifiedSql } from './tables.ts'

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

export interface Sending {
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
export async function sendNotifications(context: InboxStore, sending: Sending): Promise<void> {
  // An alert that closed before its opening was sent comes up again for its closing.
  for (;;) {
    const alerts = await takeLease(context, sending.asOf)
    if (alerts.length === 0) return
    await Promise.all(alerts.map((alert) => send(context, alert, sending)))
  }
}

async function send(
  context: InboxStore,
  alert: Alert,
  { notify, onError, asOf }: Sending,
): Promise<void> {
  try {
    await sendInTime(alert, notify)
  } catch (error) {
    onError(error)
    await postpone(context, alert, asOf)
    return
  }
  await markNotified(context, alert, asOf)
}

/** Sends one notification in time. Errors: those of `notify`, and `not_sent`. */
export async function sendInTime(alert: Alert, notify: Notify): Promise<void> {
  const signal = AbortSignal.timeout(notifyMs)
  const late = () =>
    new OperateError('not_sent', `Sending alert ${alert.id} timed out after ${notifyMs} ms.`)
  await withTimeout((async () => notify(alert, { signal }))(), notifyMs, late)
}

/** SQL for the time of a check. */
function at(asOf: Date | undefined): string {
  return asOf === undefined ? 'now()' : `'${asOf.toISOString()}'::timestamptz`
}

/** Takes the lease of pending notifications that no other process is sending. */
async function takeLease(context: InboxStore, asOf: Date | undefined): Promise<Alert[]> {
  const { source } = context
  const { rows } = await context.database.query<StoredAlert & { isOpening: boolean }>(
    `with leased as (
       update ${alertTableOf(context)} set notifying_until = ${at(asOf)} + interval '${leaseSeconds} seconds'
       where id in (
         select id from ${alertTableOf(context)}
         where source = $1 and ${isUnnotifiedSql}
           and (notifying_until is null or notifying_until <= ${at(asOf)})
         order by id limit ${batchSize} for update skip locked
       )
       returning id, rule, subject, message, opened_at, closed_at, opening_notified_at
     )
     select ${alertColumns}, opening_notified_at is null as "isOpening" from leased`,
    [source],
  )
  return rows
    .toSorted((one, other) => one.id - other.id)
    .map(({ isOpening, closedAt, ...row }) => {
      const state = isOpening ? 'open' : 'closed'
      const idempotencyKey = `${source}/${row.id}/${state}`
      const alert = { ...row, ...partsOfRule(row.rule), closedAt: isOpening ? null : closedAt }
      return { ...alert, state, source, idempotencyKey }
    })
}

/** Changes an alert, unless another process has sent the notification meanwhile. */
async function change(
  context: InboxStore,
  { id, state }: Alert,
  assignments: string,
): Promise<void> {
  await context.database.query(
    `update ${alertTableOf(context)} set ${assignments}
     where id = $1 and ${notifiedColumns[state]} is null`,
    [id],
  )
}

const notifiedColumns = { open: 'opening_notified_at', closed: 'closing_notified_at' }

async function markNotified(context: InboxStore, alert: Alert, asOf?: Date): Promise<void> {
  const assignments = `${notifiedColumns[alert.state]} = ${at(asOf)}, notifying_until = null,
    notify_failures = 0`
  await change(context, alert, assignments)
}

/** Retries after half a minute, and doubles the backoff with each failure, up to an hour. */
async function postpone(context: InboxStore, alert: Alert, asOf?: Date): Promise<void> {
  const assignments = `notify_failures = notify_failures + 1, notifying_until = to_timestamp(
    extract(epoch from ${at(asOf)})::float8 + least(30 * 2 ^ least(notify_failures, 10), 3600)
  )`
  await change(context, alert, assignments)
}

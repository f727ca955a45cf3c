import type { Database } from '@feed-receiver/database'
import { createInbox, type Inbox } from '@feed-receiver/inbox'
import { createAlerts } from '../src/alerts/index.ts'
import type { Alert, AlertRuleOptions, AlertsOptions } from '../src/alerts/index.ts'

export const minute = 60_000
export const hour = 60 * minute
export const day = 24 * hour

/** An entry to store. By default push delivered it, and its handler is done. */
export interface StoredEntry {
  id: string
  at: number
  type?: string
  state?: 'received' | 'done' | 'dead'
  handledAt?: number
  /** When push delivered it. Empty if only pull did. */
  pushes?: number[]
  pulledAt?: number
  signedBy?: string
}

/** An inbox whose rows are written as if time had passed, and its notifications. */
export async function openAlertWorld(database: Database, source: string, rules?: AlertRuleOptions) {
  const inbox: Inbox = createInbox({ database, source })
  const sent: Alert[] = []
  const alerts = createAlerts({ inbox, rules, notify: (alert) => sent.push(alert) })
  await inbox.start()
  const write = (text: string, rows: object[]) =>
    rows.length === 0 ? undefined : database.query(text, [source, JSON.stringify(rows)])

  return {
    inbox,
    alerts,
    sent,
    /** The notifications, such as `open dead outage_started`. */
    news: () => sent.map(({ state, rule, subject }) => `${state} ${rule} ${subject}`.trim()),
    check: (at: number) => alerts.check({ asOf: new Date(at) }),
    /** Creates alerts that are sent elsewhere, with a check at a time. */
    alertsTo(options: Omit<AlertsOptions, 'inbox'>) {
      const others = createAlerts({ ...options, inbox })
      return (at: number) => others.check({ asOf: new Date(at) })
    },
    async store(...entries: StoredEntry[]) {
      await write(storeSql, entries.map(toRow))
    },
    /** Changes the states of entries. */
    async change(...changes: { id: string; state: string; at: number }[]) {
      const rows = changes.map(({ at, ...change }) => ({ ...change, at: new Date(at) }))
      await write(
        `update feed_inbox.entry entry set state = changed.state,
           handled_at = case when changed.state <> 'received' then changed.at end
         from json_to_recordset($2::json) as changed (id text, state text, at timestamptz)
         where entry.source = $1 and entry.event_id = changed.id`,
        rows,
      )
    },
    /** Counts one more delivery of each entry. */
    async push(...pushes: { id: string; at: number }[]) {
      await write(
        `update feed_inbox.entry entry set push_count = push_count + 1,
           first_push_at = coalesce(first_push_at, pushed.at), last_push_at = pushed.at
         from json_to_recordset($2::json) as pushed (id text, at timestamptz)
         where entry.source = $1 and entry.event_id = pushed.id`,
        pushes.map(({ id, at }) => ({ id, at: new Date(at) })),
      )
    },
    /** Gives entries a job whose latest attempt failed. */
    async fail(...failures: { id: string; type: string; at: number; retryAt: number }[]) {
      await write(
        `insert into feed_inbox.job (name, state, data, group_id, started_on, start_after)
         select $1, 'retry', jsonb_build_object('entryId', entry.id), failed.type, failed.at, "retryAt"
         from json_to_recordset($2::json)
           as failed (id text, type text, at timestamptz, "retryAt" timestamptz)
         join feed_inbox.entry entry on entry.source = $1 and entry.event_id = failed.id`,
        failures.map(({ at, retryAt, ...failure }) => {
          return { ...failure, at: new Date(at), retryAt: new Date(retryAt) }
        }),
      )
    },
    /** Deletes the jobs of entries. */
    async endJobs(...ids: string[]) {
      await write(
        `delete from feed_inbox.job where name = $1 and data ->> 'entryId' in (
           select entry.id::text from json_to_recordset($2::json) as ended (id text)
           join feed_inbox.entry entry on entry.source = $1 and entry.event_id = ended.id)`,
        ids.map((id) => ({ id })),
      )
    },
    async reject(reason: string, at: number) {
      await database.query(
        `insert into feed_inbox.rejection as known (source, reason, hour, count, last_at, status)
         values ($1, $2, date_trunc('hour', $3::timestamptz), 1, $3, 401)
         on conflict (source, reason, hour) do update
           set count = known.count + 1, last_at = greatest(known.last_at, excluded.last_at)`,
        [source, reason, new Date(at)],
      )
    },
    query: (text: string, ...values: unknown[]) => database.query(text, [source, ...values]),
    [Symbol.asyncDispose]: () => inbox.stop(),
  }
}

export type AlertWorld = Awaited<ReturnType<typeof openAlertWorld>>

function toRow(entry: StoredEntry) {
  const {
    id,
    at,
    type = 'model_release',
    state = 'done',
    pushes = [at],
    signedBy = 'first',
  } = entry
  const { handledAt = at, pulledAt } = entry
  const dates = pushes.map((time) => new Date(time))
  return {
    id,
    type,
    state,
    at: new Date(at),
    handled: state === 'received' ? null : new Date(handledAt),
    pushes: pushes.length,
    first: dates[0] ?? null,
    last: dates.at(-1) ?? null,
    pulled: pulledAt === undefined ? null : new Date(pulledAt),
    signed: dates.length === 0 ? null : signedBy,
  }
}

const storeSql = `
  insert into feed_inbox.entry (source, event_id, state, type, provider, category, title, confirmation,
    created_at, received_at, handled_at, push_count, first_push_at, last_push_at, pulled_at,
    push_expected, signed_by, signed_at)
  select $1, id, state, type, 'northwind-ai', 'models', 'A title', 'confirmed', at, at, handled, pushes,
    first, last, pulled, case when pulled is not null then true end, signed,
    case when signed is not null then first end
  from json_to_recordset($2::json) as stored (id text, type text, state text, at timestamptz,
    handled timestamptz, pushes integer, first timestamptz, last timestamptz, pulled timestamptz,
    signed text)`

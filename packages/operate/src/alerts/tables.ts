import type { InboxExtension, InboxStore } from '@feed-receiver/inbox/extend'

const alerts = `
-- At most one open alert per rule and subject, whichever process notices. A row begins as a condition,
-- and becomes an alert after the condition has lasted for some time. The row has all state, so that a
-- restart neither forgets nor repeats an alert.
create table alert (
  id bigint generated always as identity primary key,
  source text collate "C" not null,
  rule text collate "C" not null,
  -- Which one of several, such as a type or a stream; '' if there is only one.
  subject text collate "C" not null default '',
  message text not null,
  -- The start of the condition.
  noticed_at timestamptz not null,
  -- Null until the condition has lasted long enough. The row is deleted if it ends before.
  opened_at timestamptz,
  -- The end of the condition; null again if it returns before the alert closes.
  calm_since timestamptz,
  closed_at timestamptz,
  opening_notified_at timestamptz,
  closing_notified_at timestamptz,
  -- A short lease of the process that sends the notification, so that a crash does not lose it. After
  -- a failure, the time of the next attempt.
  notifying_until timestamptz,
  notify_failures integer not null default 0
);
create unique index alert_open on alert (source, rule, subject) where closed_at is null;
create index alert_newest on alert (source, id);
create index alert_to_notify on alert (source, id)
  where opened_at is not null
    and (opening_notified_at is null or (closed_at is not null and closing_notified_at is null));
`

/** The tables of alerts, for `inboxSql` where the app may not migrate. */
export const alertTables = {
  name: 'alerts',
  migrations: { '0001-alerts.sql': alerts },
  tables: { alert: ['select', 'insert', 'update', 'delete'] },
} satisfies InboxExtension

/** Names the table, which is in the schema of the inbox. */
export function alertTableOf({ tables }: Pick<InboxStore, 'tables'>): string {
  return tables.entry.replace(/entry$/, 'alert')
}

/** Whether an opened alert still needs a notification. Worded like its index. */
export const isUnnotifiedSql = `opened_at is not null
  and (opening_notified_at is null or (closed_at is not null and closing_notified_at is null))`

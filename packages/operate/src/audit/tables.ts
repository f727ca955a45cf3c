import type { InboxExtension, InboxStore } from '@feed-receiver/inbox/extend'

const audit = `
-- One row for each day that has ended: how many entries were accepted, and a hash over them and the
-- day before, which shows whether a row was removed or changed later.
create table sealed_day (
  source text collate "C" not null,
  -- In UTC.
  day date not null,
  -- The latest entry when the day was sealed. A later entry belongs to a later day, whatever its time,
  -- so that it changes no sealed day.
  upto_id bigint not null,
  entry_count bigint not null,
  -- Over the entries of the day, and over that and the head of the day before.
  digest bytea not null,
  head bytea not null,
  sealed_at timestamptz not null default now(),

  -- What retention has deleted since, to tell it from rows that somebody deleted.
  removed_count bigint not null default 0,
  removed_tests bigint not null default 0,
  removed_done bigint not null default 0,
  removed_pushed bigint not null default 0,
  removed_pulled bigint not null default 0,
  removed_deliveries bigint not null default 0,
  removed_at timestamptz,
  primary key (source, day)
);

-- Signed monthly statements, to compare later ones with.
create table signed_statement (
  id bigint generated always as identity primary key,
  source text collate "C" not null,
  month text collate "C" not null,
  head bytea not null,
  counts jsonb not null,
  signed_by text not null,
  signed_at timestamptz not null default now()
);
`

/** The tables of audits, for `inboxSql` where the app may not migrate. */
export const auditTables = {
  name: 'audit',
  migrations: { '0001-audit.sql': audit },
  tables: {
    sealed_day: ['select', 'insert', 'update'],
    signed_statement: ['select', 'insert'],
  },
} satisfies InboxExtension

/** Names the tables, which are in the schema of the inbox. */
export function auditTablesOf({ tables }: Pick<InboxStore, 'tables'>) {
  const inSchema = (name: string) => tables.entry.replace(/entry$/, name)
  return {
    /** The counts and hashes of days that have ended. */
    sealedDay: inSchema('sealed_day'),
    signedStatement: inSchema('signed_statement'),
  }
}

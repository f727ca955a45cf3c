export const sealedDays = `-- One row for each day that has ended: how many entries were accepted, and a hash over them that also
-- covers the day before, so that a row that is removed or changed later shows. There may be tables of
-- an inbox that went back to the version before.
create table if not exists sealed_day (
  source text not null,
  -- In UTC.
  day date not null,
  -- The latest entry at the time of sealing. An entry behind it belongs to a later day, whatever its
  -- time says, so that a late one changes no sealed day.
  upto_id bigint not null,
  entry_count bigint not null,
  -- Over the entries of the day, and over that and the head of the day before.
  digest bytea not null,
  head bytea not null,
  sealed_at timestamptz not null default now(),

  -- What retention has deleted of it since, so that a row deleted by hand is told apart.
  removed_count bigint not null default 0,
  removed_tests bigint not null default 0,
  removed_done bigint not null default 0,
  removed_pushed bigint not null default 0,
  removed_pulled bigint not null default 0,
  removed_deliveries bigint not null default 0,
  removed_at timestamptz,
  primary key (source, day)
);

-- Statements that somebody has signed, to compare later ones with.
create table if not exists signed_statement (
  id bigint generated always as identity primary key,
  source text not null,
  month text not null,
  head bytea not null,
  counts jsonb not null,
  signed_by text not null,
  signed_at timestamptz not null default now()
);
`

export const pauses = `-- What is paused: one row for the whole inbox (type '') or for each paused type. Workers read it, so
-- that a pause outlives a restart and holds for every process.
create table pause (
  source text not null,
  type text not null default '',
  reason text not null,
  paused_by text,
  paused_at timestamptz not null default now(),
  primary key (source, type)
);

-- Pauses, resumes and replays are operations, too; detail says of what, for a person to read.
alter table operation drop constraint operation_kind_check;
alter table operation add constraint operation_kind_check
  check (kind in ('retry', 'replay', 'release', 'discard', 'pause', 'resume'));
alter table operation add column detail text;
`

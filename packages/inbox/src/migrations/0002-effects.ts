export const effects = `-- What handlers have done outside this database, so that a later try of the same entry does not do it
-- again. A row is written once the effect has happened.
create table effect (
  entry_id bigint not null references entry (id) on delete cascade,
  key text not null,
  -- What the effect gave, as JSON, for a try that skips it. Text, since jsonb refuses some JSON.
  outcome text not null,
  happened_at timestamptz not null default now(),
  primary key (entry_id, key)
);
`

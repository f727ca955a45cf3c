export const operations = `-- What people have done to the inbox, who and when. A retry of many is a row for each transaction.
create table operation (
  id bigint generated always as identity primary key,
  source text not null,
  kind text not null check (kind in ('retry', 'release', 'discard')),
  done_by text,
  done_at timestamptz not null default now(),
  entry_count integer not null,
  quarantine_id bigint references quarantine (id) on delete cascade
);
create index operation_newest on operation (source, id);

-- The entries it was done to.
create table operation_entry (
  entry_id bigint not null references entry (id) on delete cascade,
  operation_id bigint not null references operation (id) on delete cascade,
  primary key (entry_id, operation_id)
);
create index operation_entry_by_operation on operation_entry (operation_id);

-- What somebody looks for among the dead. Few entries are, so this costs the others nothing.
create index entry_dead_by_provider on entry (source, provider, received_at, id)
  where state = 'dead';
create index entry_dead_by_type on entry (source, type, received_at, id) where state = 'dead';
`

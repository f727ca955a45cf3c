export const revisions = `-- What an entry said before pull revised it, to be shown beside what it says now. Retention empties it
-- with the rest.
create table entry_revision (
  entry_id bigint not null references entry (id) on delete cascade,
  revision integer not null,
  via text not null check (via in ('push', 'pull')),
  change text not null check (change in ('new', 'correction', 'retraction', 'confirmation')),
  -- Null where it is in the bytes of the entry, since pull had not seen it, or is not kept any more.
  pull jsonb,
  replaced_at timestamptz not null,
  primary key (entry_id, revision)
);
`

export const bodies = `-- The content of an entry, and the headers that came with it, in a table of their own. Retention deletes
-- rows here and writes nothing to the entry, which has many indexes. There is no foreign key: checking it
-- would lock the entry for each body, and only retention deletes entries.
create table entry_body (
  entry_id bigint primary key,
  -- What was signed, to the byte. Null for an event that only pull has brought.
  body bytea,
  headers jsonb not null default '{}',
  -- What pull saw last.
  pull jsonb
);

insert into entry_body (entry_id, body, headers, pull)
  select id, body, headers, pull from entry where body is not null or pull is not null order by id;

drop index entry_to_prune;
alter table entry drop column body, drop column headers, drop column pull;
`

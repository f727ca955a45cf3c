export const operating = `-- Lists go from the newest back, by whatever they are filtered: each filter has its own order, so
-- that a page is read off an index however many entries there are.
create index entry_newest on entry (source, received_at, id);
create index entry_by_state on entry (source, state, received_at, id);
create index entry_by_provider on entry (source, provider, received_at, id);
create index entry_by_type on entry (source, type, received_at, id);
create index entry_by_category on entry (source, category, received_at, id);
create index entry_by_subject on entry (source, subject_key, received_at, id);

-- For searches by the first letters, in any case. The operator class serves LIKE in any collation.
create index entry_by_title_prefix on entry (source, lower(title) text_pattern_ops);
create index entry_by_subject_prefix on entry (source, lower(subject_key) text_pattern_ops);

-- Who released or discarded a row, and when.
alter table quarantine add column settled_at timestamptz;
alter table quarantine add column settled_by text;
create index quarantine_newest on quarantine (source, id);
create index quarantine_by_state on quarantine (source, state, id);

-- What retention has still to empty.
create index entry_to_prune on entry (source, handled_at)
  where body is not null and state in ('done', 'skipped');

-- Which secrets have signed, and when.
create index entry_by_signer on entry (source, signed_by, signed_at);
`

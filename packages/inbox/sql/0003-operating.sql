-- Lists go from the newest back, and workers look after what still waits.
create index entry_newest on entry (source, received_at, id);
create index entry_open on entry (source, received_at, id) where state = 'received';

-- Each filter of a list has its own order, so that a page is read off an index however many entries
-- there are. Only of those that have ended: a delivery is answered sooner without these indexes, the
-- end of an entry writes all of them anyway, and those that wait are few unless something is wrong.
create index entry_by_state on entry (source, state, received_at, id) where state <> 'received';
create index entry_by_provider on entry (source, provider, received_at, id)
  where state <> 'received';
create index entry_by_type on entry (source, type, received_at, id) where state <> 'received';
create index entry_by_category on entry (source, category, received_at, id)
  where state <> 'received';

-- For searches by the first letters, in any case, which the planner only judges well by indexes that
-- have all entries. The operator class serves LIKE in any collation.
create index entry_by_title on entry (source, lower(title) text_pattern_ops);
create index entry_by_subject
  on entry (source, lower(subject_key) text_pattern_ops, received_at, id);

-- Who released or discarded a row, and when.
alter table quarantine add column settled_at timestamptz;
alter table quarantine add column settled_by text;
create index quarantine_newest on quarantine (source, id);
create index quarantine_by_state on quarantine (source, state, id);

-- What retention has still to empty.
create index entry_to_prune on entry (source, handled_at)
  where body is not null and state in ('done', 'skipped');

-- Which secrets have signed, and when.
create index entry_by_signer on entry (source, signed_by, signed_at) where signed_by is not null;

-- Lists go from the newest back, by whatever they are filtered: each filter has its own order, so
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

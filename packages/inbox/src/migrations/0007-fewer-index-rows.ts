export const fewerIndexRows = `-- An entry was written into eleven indexes when it came, and into all of them again when it ended. What
-- filters go by needs only what has ended: a delivery is answered sooner, and those that wait are few
-- unless something is wrong, so that a filter can look through them.
drop index entry_by_state, entry_by_provider, entry_by_type, entry_by_category;
create index entry_open on entry (source, received_at, id) where state = 'received';
create index entry_by_state on entry (source, state, received_at, id) where state <> 'received';
create index entry_by_provider on entry (source, provider, received_at, id)
  where state <> 'received';
create index entry_by_type on entry (source, type, received_at, id) where state <> 'received';
create index entry_by_category on entry (source, category, received_at, id)
  where state <> 'received';

-- One for subjects in full and by their first letters. It has all entries, as that of titles does, since
-- the planner judges how many a search finds by such indexes only.
drop index entry_by_subject, entry_by_subject_prefix;
create index entry_by_subject
  on entry (source, lower(subject_key) text_pattern_ops, received_at, id);

-- What only pull has brought nobody has signed.
drop index entry_by_signer;
create index entry_by_signer on entry (source, signed_by, signed_at) where signed_by is not null;
`

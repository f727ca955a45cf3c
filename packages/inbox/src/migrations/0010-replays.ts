export const replays = `-- Whether the run that an entry waits for is a replay of an event that was handled before.
alter table entry add column is_replay boolean not null default false;

-- How often somebody asked for its effects to happen again; part of their idempotency keys.
alter table entry add column effect_round integer not null default 0;

-- The events that were corrected since they came. Few are, so this costs the others nothing.
create index entry_revised on entry (source, received_at, id) where revision > 1;
`

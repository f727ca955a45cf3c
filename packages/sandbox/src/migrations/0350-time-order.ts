export const timeOrder = `-- For pages in order of observation.
create index event_time on event (first_observed_at, position);
`

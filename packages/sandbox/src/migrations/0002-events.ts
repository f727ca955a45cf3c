export const events = `-- Every event as it is now, with its place in the feed. The text is what lists answer with, to the byte.
create table event (
  id text primary key,
  position bigint not null unique,
  provider text not null,
  type text not null,
  is_outage boolean not null generated always as (type = 'outage' or starts_with(type, 'outage_'))
    stored,
  is_confirmed boolean not null,
  first_observed_at timestamptz not null,
  incident_id text,
  incident_sequence integer,
  body text not null
);
create index event_confirmed on event (position) where is_confirmed;
create index event_provider on event (provider, position);
create index event_type on event (type, position);
create index event_outage on event (position) where is_outage;
create index event_incident on event (incident_id, incident_sequence) where incident_id is not null;

create sequence feed_position as bigint;

-- What happened to which event, in the order of the feed.
create table feed_log (
  position bigint primary key,
  event_id text not null,
  change text not null check (change in ('observed', 'confirmed', 'corrected', 'retracted')),
  at timestamptz not null default clock_time()
);
create index feed_log_event on feed_log (event_id);
`

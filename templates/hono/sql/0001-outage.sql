create table outage (
  event_id   text primary key,
  provider   text not null,
  title      text not null,
  observed_at timestamptz not null
);

// Keys, and other text in indexes, compare by bytes: the order of a locale changes with the libraries
// of the system, and its indexes then miss rows.
export const sandbox = `-- The time of the sandbox. In every process it decides what is due, expires or counts.
create table clock (
  is_only boolean primary key default true check (is_only),
  shift_ms bigint not null default 0,
  frozen_at timestamptz
);
insert into clock default values;

create function clock_time() returns timestamptz language sql volatile
begin atomic
  select date_trunc(
    'milliseconds',
    coalesce(frozen_at, clock_timestamp() + shift_ms * interval '1 millisecond')
  )
  from clock;
end;

-- Generated once: the keys that sign cursors and make references.
create table setting (
  name text collate "C" primary key,
  value bytea not null
);

create table account (
  id text collate "C" primary key,
  name text not null,
  pro_active boolean not null default true,
  decision_intelligence boolean not null default true,
  private_activity boolean not null default true,
  usage_limit integer not null default 100000 check (usage_limit >= 1),
  burst_limit integer not null default 120 check (burst_limit >= 1),
  created_at timestamptz not null default clock_time()
);

-- How much an account has used of its month and of its minute; one row, so that one statement charges
-- both. Every request updates it, so it has free space and no index but its key.
create table allowance (
  account_id text collate "C" primary key references account on delete cascade,
  period_start timestamptz not null default 'epoch',
  requests integer not null default 0,
  window_start timestamptz not null default 'epoch',
  burst_requests integer not null default 0,
  granted integer not null default 0
) with (fillfactor = 50);

create table api_key (
  id bigint generated always as identity primary key,
  account_id text collate "C" not null references account on delete cascade,
  name text collate "C" not null,
  sha256 text collate "C" not null unique,
  -- The encrypted text of a key that is created once for its account and name.
  sealed bytea,
  -- The prefix and the last four characters, to tell keys apart.
  display text not null,
  created_at timestamptz not null default clock_time(),
  last_used_at timestamptz,
  revoked_at timestamptz
);
create unique index on api_key (account_id, name) where sealed is not null and revoked_at is null;

-- Every request with its answer, and the reason of each rejection. Never a key, a body or a query.
create table request_log (
  id bigint generated always as identity primary key,
  at timestamptz not null,
  method text not null,
  path text not null,
  status integer not null,
  reason text,
  detail text,
  account_id text collate "C",
  key_display text,
  charged boolean not null default false
);

-- Every event in its newest form, with its position in the feed.
create table event (
  id text collate "C" primary key,
  position bigint not null unique,
  provider text collate "C" not null,
  type text collate "C" not null,
  is_outage boolean not null generated always as (type = 'outage' or starts_with(type, 'outage_'))
    stored,
  is_confirmed boolean not null,
  first_observed_at timestamptz not null,
  incident_id text collate "C",
  incident_sequence integer,
  -- The exact text that lists return.
  body text not null,
  -- The id of the model that the event is a standing fact about, without its provider and as in JSON;
  -- null for all other events, and after a retraction.
  model text collate "C"
);
create index event_confirmed on event (position) where is_confirmed;
create index event_provider on event (provider, position);
create index event_type on event (type, position);
create index event_outage on event (position) where is_outage;
create index event_incident on event (incident_id, incident_sequence) where incident_id is not null;
create index event_model on event (model, provider) where model is not null;
-- For pages in order of observation.
create index event_time on event (first_observed_at, position);

create sequence feed_position as bigint;

-- The changes of events, in the order of the feed.
create table feed_log (
  position bigint primary key,
  event_id text collate "C" not null,
  change text not null check (change in ('observed', 'confirmed', 'corrected', 'retracted')),
  at timestamptz not null default clock_time()
);
create index feed_log_event on feed_log (event_id);

-- Private events, oldest first.
create table account_event (
  position bigint generated always as identity primary key,
  account_id text collate "C" not null references account on delete cascade,
  ref text collate "C" not null unique,
  type text not null,
  subject_type text not null,
  -- The exact text that lists return.
  body text not null
);
create index account_event_page on account_event (account_id, position);

-- Where alerts are sent. A deleted one stays for the journal, without address and secrets.
create table destination (
  id text collate "C" primary key,
  account_id text collate "C" not null references account on delete cascade,
  name text not null,
  -- Whether forwardTo created it, which moves and deletes no other.
  is_forward boolean not null default false,
  kind text not null check (kind in ('signed', 'slack', 'discord', 'teams')),
  url_sealed bytea,
  state text not null default 'new' check (state in ('new', 'paused', 'active', 'deleted')),
  state_changed_at timestamptz not null default clock_time(),
  -- Increases with every change of state. It shows that an attempt began before the change, even while
  -- the clock is frozen.
  generation integer not null default 0,
  -- Empty means all.
  providers text[] not null default '{}',
  categories text[] not null default '{}',
  types text[] not null default '{}',
  confirmation text not null default 'confirmed' check (confirmation in ('confirmed', 'all')),
  created_at timestamptz not null default clock_time(),
  check ((state = 'deleted') = (url_sealed is null))
);
create index destination_account on destination (account_id) where state <> 'deleted';

create table destination_secret (
  id bigint generated always as identity primary key,
  destination_id text collate "C" not null references destination on delete cascade,
  state text not null check (state in ('current', 'pending', 'retired', 'erased')),
  sealed bytea,
  created_at timestamptz not null default clock_time(),
  -- When a pending one begins to sign.
  activates_at timestamptz,
  retired_at timestamptz,
  check ((state = 'erased') = (sealed is null))
);
create unique index destination_secret_current on destination_secret (destination_id)
  where state = 'current';
create unique index destination_secret_pending on destination_secret (destination_id)
  where state = 'pending';
create index destination_secret_retired on destination_secret (retired_at) where state = 'retired';

-- The changes of a destination, and their causes.
create table destination_log (
  id bigint generated always as identity primary key,
  destination_id text collate "C" not null references destination on delete cascade,
  at timestamptz not null default clock_time(),
  change text not null,
  detail text,
  delivery_id bigint
);
create index destination_log_destination on destination_log (destination_id, id);

create table delivery (
  id bigint generated always as identity primary key,
  destination_id text collate "C" not null references destination on delete cascade,
  event_id text collate "C" not null,
  kind text not null check (kind in ('live', 'test', 'replay')),
  state text not null check (state in (
    'scheduled', 'held', 'in_flight',
    'delivered', 'rejected', 'exhausted', 'test_failed', 'cancelled', 'skipped'
  )),
  reason text,
  attempts integer not null default 0,
  next_attempt_at timestamptz,
  -- In real time, because the clock of the sandbox may change during an attempt.
  lease_until timestamptz,
  -- The exact text that every attempt sends.
  body text not null,
  created_at timestamptz not null default clock_time(),
  ended_at timestamptz
);
create index delivery_due on delivery (destination_id, next_attempt_at, id) where state = 'scheduled';
create index delivery_leased on delivery (lease_until) where state = 'in_flight';
create index delivery_held on delivery (destination_id) where state = 'held';
-- A destination gets an event once, whatever happens to the event later.
create unique index delivery_live on delivery (destination_id, event_id)
  where kind = 'live' and state not in ('skipped', 'cancelled');

create table delivery_attempt (
  delivery_id bigint not null references delivery on delete cascade,
  attempt integer not null,
  started_at timestamptz not null,
  -- Of the destination when the attempt began.
  generation integer not null,
  secret_id bigint,
  -- Null while it is in progress.
  outcome text check (outcome in ('accepted', 'pause', 'retry', 'interrupted')),
  -- Unix seconds, of the signature.
  signed_at bigint,
  status integer,
  cause text,
  error_code text,
  error_message text,
  duration_ms integer,
  retry_after text,
  next_delay_ms bigint,
  response_body text,
  fault text,
  primary key (delivery_id, attempt)
  -- Every row is written twice. With free space, the second time does not write the index.
) with (fillfactor = 50);

-- Faults that the API shows on purpose.
create table api_fault (
  id bigint generated always as identity primary key,
  surface text not null,
  fault jsonb not null,
  -- For how many requests it still applies; null for always.
  times_left integer check (times_left > 0),
  created_at timestamptz not null default clock_time()
);

-- Faults of deliveries.
create table delivery_fault (
  id bigint generated always as identity primary key,
  -- Null for every destination.
  destination_id text collate "C" references destination on delete cascade,
  fault text not null,
  -- For how many attempts it still applies; null for always.
  times_left integer check (times_left >= 0),
  created_at timestamptz not null default clock_time()
);
`

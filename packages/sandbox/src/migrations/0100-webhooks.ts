export const webhooks = `-- Where alerts go. What is deleted stays as a row without address and secrets, for the journal.
create table destination (
  id text primary key,
  account_id text not null references account on delete cascade,
  name text not null,
  kind text not null check (kind in ('signed', 'slack', 'discord', 'teams')),
  url_sealed bytea,
  state text not null default 'new' check (state in ('new', 'paused', 'active', 'deleted')),
  state_changed_at timestamptz not null default clock_time(),
  -- Goes up with every change of state, so that an answer to an attempt from before it is told from
  -- a later one even while the clock stands.
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
  destination_id text not null references destination on delete cascade,
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

-- What became of a destination, and why.
create table destination_log (
  id bigint generated always as identity primary key,
  destination_id text not null references destination on delete cascade,
  at timestamptz not null default clock_time(),
  change text not null,
  detail text,
  delivery_id bigint
);
create index destination_log_destination on destination_log (destination_id, id);

create table delivery (
  id bigint generated always as identity primary key,
  destination_id text not null references destination on delete cascade,
  event_id text not null,
  kind text not null check (kind in ('live', 'test', 'replay')),
  state text not null check (state in (
    'scheduled', 'held', 'in_flight',
    'delivered', 'rejected', 'exhausted', 'test_failed', 'cancelled', 'skipped'
  )),
  reason text,
  attempts integer not null default 0,
  next_attempt_at timestamptz,
  -- In real time: the sandbox's may be moved or stand while an attempt is under way.
  lease_until timestamptz,
  -- The exact text that every attempt sends.
  body text not null,
  created_at timestamptz not null default clock_time(),
  ended_at timestamptz
);
create index delivery_due on delivery (destination_id, next_attempt_at, id) where state = 'scheduled';
create index delivery_leased on delivery (lease_until) where state = 'in_flight';
create index delivery_held on delivery (destination_id) where state = 'held';
-- An event is sent to a destination once, whatever happens to it later.
create unique index delivery_live on delivery (destination_id, event_id)
  where kind = 'live' and state not in ('skipped', 'cancelled');

create table delivery_attempt (
  delivery_id bigint not null references delivery on delete cascade,
  attempt integer not null,
  started_at timestamptz not null,
  -- The destination's, as the attempt began.
  generation integer not null,
  secret_id bigint,
  -- Null while it is under way.
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
  -- Every row is written twice; with room beside it the second time leaves the index alone.
) with (fillfactor = 50);

-- What goes wrong on purpose.
create table delivery_fault (
  id bigint generated always as identity primary key,
  -- Null for every destination.
  destination_id text references destination on delete cascade,
  fault text not null,
  -- How often it still happens; null for always.
  times_left integer check (times_left >= 0),
  created_at timestamptz not null default clock_time()
);
`

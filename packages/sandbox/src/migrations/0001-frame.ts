export const frame = `-- The sandbox's own time. Everything that is due, expires or is counted goes by it, in every process.
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

-- What is made once and kept: the keys that sign cursors and make references.
create table setting (
  name text primary key,
  value bytea not null
);

create table account (
  id text primary key,
  name text not null,
  pro_active boolean not null default true,
  decision_intelligence boolean not null default true,
  private_activity boolean not null default true,
  usage_limit integer not null default 100000 check (usage_limit >= 1),
  burst_limit integer not null default 120 check (burst_limit >= 1),
  created_at timestamptz not null default clock_time()
);

-- What an account has used of its month and of its minute; one row, so that both are charged at once.
-- The row is written by every request, so it has room beside it and no index but its key.
create table allowance (
  account_id text primary key references account on delete cascade,
  period_start timestamptz not null default 'epoch',
  requests integer not null default 0,
  window_start timestamptz not null default 'epoch',
  burst_requests integer not null default 0,
  granted integer not null default 0
) with (fillfactor = 50);

create table api_key (
  id bigint generated always as identity primary key,
  account_id text not null references account on delete cascade,
  name text not null,
  sha256 text not null unique,
  -- The prefix and the last four characters, to tell keys apart.
  display text not null,
  created_at timestamptz not null default clock_time(),
  last_used_at timestamptz,
  revoked_at timestamptz
);

-- Every request that was answered, with the reason of each refusal. Never a key, a body or a query.
create table request_log (
  id bigint generated always as identity primary key,
  at timestamptz not null,
  method text not null,
  path text not null,
  status integer not null,
  reason text,
  detail text,
  account_id text,
  key_display text,
  charged boolean not null default false
);

-- What the API is to do wrong, the oldest first, for as many requests as remain or for all.
create table fault_rule (
  id bigint generated always as identity primary key,
  surface text not null,
  fault jsonb not null,
  remaining integer check (remaining > 0),
  created_at timestamptz not null default clock_time()
);
`

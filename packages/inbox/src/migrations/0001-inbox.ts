export const inbox = `-- One row for each event, whichever way it came. The unique constraint is what makes two deliveries
-- of one event a single one; it is never partitioned, and its rows outlive their bytes.
create table entry (
  id bigint generated always as identity primary key,
  source text not null,
  event_id text not null,
  state text not null default 'received'
    check (state in ('received', 'done', 'skipped', 'dead')),

  -- What was signed, to the byte. Empty for an event that came by pull, and once retention has
  -- emptied it; the hash then still tells a repeat from a forgery.
  body bytea,
  sha256 text,
  signed_by text,
  signed_at timestamptz,
  headers jsonb not null default '{}',
  notes text[] not null default '{}',

  -- Taken from the body for lists and searches: cut to a length, and cleaned of what text cannot hold.
  type text not null,
  provider text not null,
  category text not null,
  subject_type text,
  subject_key text,
  title text not null,
  confirmation text not null,
  created_at timestamptz not null,

  received_at timestamptz not null,
  handled_at timestamptz,
  push_count integer not null default 0,
  first_push_at timestamptz,
  last_push_at timestamptz,

  -- What only the pull API knows, and how often the content has changed.
  pull jsonb,
  revision integer not null default 1,

  unique (source, event_id)
);

-- Authentic deliveries that no handler may see. One row for the same bytes and the same reason, so
-- that a captured delivery sent again and again cannot fill the table.
create table quarantine (
  id bigint generated always as identity primary key,
  source text not null,
  reason text not null,
  state text not null default 'open' check (state in ('open', 'released', 'discarded')),
  event_id text,
  detail text,
  body bytea not null,
  sha256 text not null,
  signed_by text not null,
  signed_at timestamptz not null,
  headers jsonb not null default '{}',
  seen_count integer not null default 1,
  first_seen_at timestamptz not null,
  last_seen_at timestamptz not null,

  unique (source, reason, sha256)
);
`

// Keys, and other text in indexes, compare by bytes: the order of a locale changes with the libraries
// of the system, and its indexes then miss rows.
export const inbox = `-- One row for each event, however often and by whichever way it is delivered: the unique constraint
-- finds duplicates. It is never partitioned, and retention leaves its rows.
create table entry (
  id bigint generated always as identity primary key,
  source text collate "C" not null,
  event_id text collate "C" not null,
  state text collate "C" not null default 'received'
    check (state in ('received', 'done', 'skipped', 'dead')),

  -- Of the signed body. Null for an event that only pull has brought.
  sha256 text collate "C",
  signed_by text collate "C",
  signed_at timestamptz,
  notes text[] not null default '{}',

  -- From the body, for lists and searches: shortened, and without characters that text cannot hold.
  type text collate "C" not null,
  provider text collate "C" not null,
  category text collate "C" not null,
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

  -- Of the content that handlers get: how often it has changed, how it came, and its relation to the
  -- content before.
  -- Unlike those of revisions, \`via\` and \`change\` are not checked: PostgreSQL prepares each check
  -- again for each statement.
  revision integer not null default 1,
  via text not null default 'push',
  change text not null default 'new',

  -- The first time that pull returned it, and whether push should deliver it too (null: unknown).
  pulled_at timestamptz,
  push_expected boolean,
  -- They tell a changed event from an unchanged one, also after retention has deleted the content.
  content_hash text collate "C",
  pull_hash text collate "C",
  corrected_at timestamptz,
  retracted_at timestamptz,

  -- Whether the pending run reprocesses an event that was handled before.
  is_reprocessed boolean not null default false,
  -- How often somebody asked for its effects to happen again; part of their idempotency keys.
  effect_round integer not null default 0,

  unique (source, event_id)
);

-- Lists show the newest first. Each filter has an index in that order, so that a page costs the same
-- with any number of entries.
create index entry_newest on entry (source, received_at, id);
create index entry_open on entry (source, received_at, id) where state = 'received';

-- Filters use an index for ended entries only: pending ones are few, and writing fewer indexes answers
-- a delivery sooner.
create index entry_by_state on entry (source, state, received_at, id) where state <> 'received';
create index entry_by_provider on entry (source, provider, received_at, id)
  where state <> 'received';
create index entry_by_type on entry (source, type, received_at, id) where state <> 'received';
create index entry_by_category on entry (source, category, received_at, id)
  where state <> 'received';

-- Few entries are dead or revised, so these indexes hardly cost the others anything.
create index entry_dead_by_end on entry (source, type, handled_at) where state = 'dead';
create index entry_revised on entry (source, received_at, id) where revision > 1;

-- The key of a subject in any case: the operator class serves LIKE in any collation.
create index entry_by_subject
  on entry (source, lower(subject_key) text_pattern_ops, received_at, id)
  where state <> 'received';
-- The planner estimates searches with them. It ignores those of an index with a condition.
create statistics entry_title on (lower(title)) from entry;
create statistics entry_subject on (lower(subject_key)) from entry;

-- Which secrets have signed, and when.
create index entry_by_signer on entry (source, signed_by, signed_at) where signed_by is not null;

-- Events that pull returned and push has not delivered. Neither contains a pushed entry.
create index entry_missed on entry (source, pulled_at, id)
  where push_count = 0 and push_expected is true;
create index entry_pull_only on entry (source, pulled_at, id)
  where push_count = 0 and push_expected is distinct from false;

-- The content of an entry, in its own table: retention deletes rows here, and writes nothing to the
-- entry with its many indexes. Without a foreign key, because checking it would lock the entry for each
-- body, and only retention deletes entries.
create table entry_body (
  entry_id bigint primary key,
  -- The exact bytes that were signed. Null for an event that only pull has brought.
  body bytea,
  headers jsonb not null default '{}',
  -- What pull returned last.
  pull jsonb
);

-- The content of an entry before pull revised it. Retention empties it, too.
create table entry_revision (
  entry_id bigint not null references entry (id) on delete cascade,
  revision integer not null,
  via text not null check (via in ('push', 'pull')),
  change text not null check (change in ('new', 'correction', 'retraction', 'confirmation')),
  -- Null if the body of the entry contains it, or if retention has deleted it.
  pull jsonb,
  replaced_at timestamptz not null,
  primary key (entry_id, revision)
);

-- Effects of handlers outside this database, so that a later attempt does not repeat them. A row is
-- written after the effect has happened.
create table effect (
  entry_id bigint not null references entry (id) on delete cascade,
  key text collate "C" not null,
  -- The result of the effect as JSON, for an attempt that skips it. Text, because jsonb rejects some
  -- JSON.
  outcome text not null,
  happened_at timestamptz not null default now(),
  primary key (entry_id, key)
);

-- Authentic deliveries that no handler may see. The same bytes share one row per reason, so that a
-- captured delivery that is sent again and again cannot fill the table.
create table quarantine (
  id bigint generated always as identity primary key,
  source text collate "C" not null,
  reason text collate "C" not null,
  state text collate "C" not null default 'open'
    check (state in ('open', 'released', 'discarded')),
  event_id text collate "C",
  detail text,
  body bytea not null,
  sha256 text collate "C" not null,
  signed_by text collate "C" not null,
  signed_at timestamptz not null,
  headers jsonb not null default '{}',
  seen_count integer not null default 1,
  first_seen_at timestamptz not null,
  last_seen_at timestamptz not null,
  -- Who released or discarded it, and when.
  resolved_at timestamptz,
  resolved_by text,

  unique (source, reason, sha256)
);
create index quarantine_newest on quarantine (source, id);
create index quarantine_by_state on quarantine (source, state, id);

-- Deliveries that a receiver rejected, counted by reason and hour. Nothing else of them is stored,
-- because nobody trusted has signed them. Receivers add their counts every few seconds.
create table rejection (
  source text collate "C" not null,
  reason text collate "C" not null,
  hour timestamptz not null,
  count bigint not null,
  last_at timestamptz not null,
  -- Of the latest answer. An option of the receiver may set it.
  status smallint not null,
  -- What failed in this process, such as the error of the database; never a part of the delivery.
  cause text,
  primary key (source, reason, hour)
);

-- How far each stream of the pull API has been read, and by which process.
create table poll_stream (
  source text collate "C" not null,
  stream text collate "C" not null,
  -- Opaque. The transaction that stores a page moves it, and it never becomes null again.
  cursor text,
  phase text not null default 'first_run'
    check (phase in ('first_run', 'catching_up', 'tailing', 'waiting', 'suspended')),
  -- Why it waits or is suspended, and until when it waits.
  code text,
  wait_until timestamptz,
  started_at timestamptz not null,
  polled_at timestamptz,
  reread_at timestamptz,
  usage jsonb,
  -- By the clock of the database, which all processes share.
  lease_holder text,
  lease_until timestamptz,
  primary key (source, stream)
);

-- Lost cursors, after which reading began again with the newest events. Events between the two times
-- may be missing.
create table stream_gap (
  id bigint generated always as identity primary key,
  source text collate "C" not null,
  stream text collate "C" not null,
  since timestamptz,
  until timestamptz not null,
  code text not null
);
create index stream_gap_newest on stream_gap (source, id);

-- What people have done to the inbox, who and when. A retry of many entries has a row for each
-- transaction.
create table operation (
  id bigint generated always as identity primary key,
  source text collate "C" not null,
  kind text not null
    check (kind in ('retry', 'reprocess', 'release', 'discard', 'pause', 'resume')),
  done_by text,
  done_at timestamptz not null default now(),
  entry_count integer not null,
  quarantine_id bigint references quarantine (id) on delete cascade,
  -- What it was done to, for people to read.
  detail text
);
create index operation_newest on operation (source, id);

create table operation_entry (
  entry_id bigint not null references entry (id) on delete cascade,
  operation_id bigint not null references operation (id) on delete cascade,
  primary key (entry_id, operation_id)
);
create index operation_entry_by_operation on operation_entry (operation_id);

-- What is paused: one row for the whole inbox (type ''), or for each paused type. Workers read it, so
-- that a pause survives restarts and applies to every process.
create table pause (
  source text collate "C" not null,
  type text collate "C" not null default '',
  reason text not null,
  paused_by text,
  paused_at timestamptz not null default now(),
  primary key (source, type)
);

-- The extensions that must see entries before retention deletes them.
create table extension (
  source text collate "C" not null,
  name text collate "C" not null,
  primary key (source, name)
);
`

export const pull = `-- How the content that handlers get came here, and what it is to them.
alter table entry add column via text not null default 'push' check (via in ('push', 'pull'));
alter table entry add column change text not null default 'new'
  check (change in ('new', 'correction', 'retraction', 'confirmation'));

-- What pull saw: when first, whether pushing was expected to bring it too (null: nobody said), and by
-- what a later sighting is told from it. The hashes outlive the content, as that of the bytes does.
alter table entry add column pulled_at timestamptz;
alter table entry add column push_expected boolean;
alter table entry add column content_hash text;
alter table entry add column pull_hash text;
alter table entry add column corrected_at timestamptz;
alter table entry add column retracted_at timestamptz;

-- What pull saw and push never brought. Pushed entries are in neither, so that they cost them nothing.
create index entry_missed on entry (source, pulled_at, id)
  where push_count = 0 and push_expected is true;
create index entry_pull_only on entry (source, pulled_at, id)
  where push_count = 0 and push_expected is distinct from false;

-- What retention has still to empty, pulled content included.
drop index entry_to_prune;
create index entry_to_prune on entry (source, handled_at)
  where (body is not null or pull is not null) and state in ('done', 'skipped');

-- How far each stream of the pull API has been read, and who reads it.
create table poll_stream (
  source text not null,
  stream text not null,
  -- Opaque; moved in the transaction that stores the page before it, and never back to null.
  cursor text,
  phase text not null default 'first_run'
    check (phase in ('first_run', 'catching_up', 'tailing', 'waiting', 'suspended')),
  -- Why it waits or is suspended, and until when it waits.
  code text,
  wait_until timestamptz,
  started_at timestamptz not null,
  polled_at timestamptz,
  swept_at timestamptz,
  usage jsonb,
  -- By the clock of the database, which all processes share.
  lease_holder text,
  lease_until timestamptz,
  primary key (source, stream)
);

-- Where a cursor was lost and reading began again from the newest events: what came between the two
-- times may be missing.
create table stream_gap (
  id bigint generated always as identity primary key,
  source text not null,
  stream text not null,
  since timestamptz,
  until timestamptz not null,
  code text not null
);
create index stream_gap_newest on stream_gap (source, id);
`

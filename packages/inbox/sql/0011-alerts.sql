-- Alerts, each open at most once for a rule and a subject, whichever process notices. Who tells of an
-- opening or a closing holds a short lease, so that a crash in between does not lose the message.
create table alert (
  id bigint generated always as identity primary key,
  source text not null,
  rule text not null,
  -- What of several things it is about, such as a type or a stream; '' where there is only one.
  subject text not null default '',
  message text not null,
  opened_at timestamptz not null,
  closed_at timestamptz,
  opening_told_at timestamptz,
  closing_told_at timestamptz,
  telling_until timestamptz
);
create unique index alert_open on alert (source, rule, subject) where closed_at is null;
create index alert_newest on alert (source, id);
create index alert_to_tell on alert (source)
  where opening_told_at is null or (closed_at is not null and closing_told_at is null);

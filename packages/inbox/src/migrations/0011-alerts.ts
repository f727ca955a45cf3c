export const alerts = `-- Alerts, each open at most once for a rule and a subject, whichever process notices. A row begins as
-- a condition that was noticed, and becomes an alert once the condition has held for some time. All of
-- that is in the row, so that a restart neither forgets nor repeats an alert.
create table alert (
  id bigint generated always as identity primary key,
  source text not null,
  rule text not null,
  -- What of several things it is about, such as a type or a stream; '' where there is only one.
  subject text not null default '',
  message text not null,
  -- Since when the condition holds.
  noticed_at timestamptz not null,
  -- Null while the condition has not held for long enough; such a row is deleted if it ends.
  opened_at timestamptz,
  -- Since when the condition no longer holds; null again if it comes back before the alert closes.
  calm_since timestamptz,
  closed_at timestamptz,
  opening_told_at timestamptz,
  closing_told_at timestamptz,
  -- Who tells of an opening or a closing holds a short lease, so that a crash in between does not lose
  -- the message. After a failure it says when to try again.
  telling_until timestamptz,
  telling_failures integer not null default 0
);
create unique index alert_open on alert (source, rule, subject) where closed_at is null;
create index alert_newest on alert (source, id);
create index alert_to_tell on alert (source, id)
  where opened_at is not null
    and (opening_told_at is null or (closed_at is not null and closing_told_at is null));

-- Which entries died lately. Few are dead, so this costs the others nothing.
create index entry_dead_by_end on entry (source, type, handled_at) where state = 'dead';
`

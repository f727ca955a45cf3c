export const accountEvents = `-- Private events, newest last. The text is what is answered, to the byte.
create table account_event (
  position bigint generated always as identity primary key,
  account_id text not null references account on delete cascade,
  ref text not null unique,
  type text not null,
  subject_type text not null,
  body text not null
);
create index account_event_page on account_event (account_id, position);
`

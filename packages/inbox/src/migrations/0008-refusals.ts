export const refusals = `-- Deliveries that a receiver rejected, counted by reason and hour. Nothing of a rejected delivery is
-- stored, because nobody trustworthy has signed it. Receivers add their counts every few seconds.
create table refusal (
  source text not null,
  reason text not null,
  hour timestamptz not null,
  count bigint not null,
  last_at timestamptz not null,
  -- The status of the latest answer, which an option of the receiver may set.
  status smallint not null,
  -- What went wrong in this process, such as the error of the database; never a part of the delivery.
  cause text,
  primary key (source, reason, hour)
);
`

import type { Tx } from '@feed-receiver/database'
import { factModelOf } from '../models/model-fact.ts'
import type { Context } from '../server/context.ts'
import { serviceEvent, type PublishedEvent } from '../state/service-event.ts'
import { enqueueDeliveries } from '../webhooks/deliveries/enqueue-deliveries.ts'

/**
 * Publishes events in this order, with their deliveries: both are committed, or neither is.
 */
export async function publishEvents(
  tx: Tx,
  { behaviour, deliverer }: Pick<Context, 'behaviour' | 'deliverer'>,
  published: readonly PublishedEvent[],
): Promise<void> {
  await insertEvents(tx, published, behaviour.moveChanged)
  await enqueueDeliveries(tx, published)
  tx.afterCommit(() => deliverer.wake())
}

/**
 * Reserves positions until the end of the transaction. A reader that sees a position therefore sees
 * every lower one, so that continuing from it skips nothing.
 */
export async function lockFeed(tx: Tx): Promise<void> {
  await tx.query('select pg_advisory_xact_lock($1)', [feedLock])
}

const feedLock = 7_310_041

/** Adds events to the feed, without deliveries. */
export async function insertEvents(
  tx: Tx,
  published: readonly PublishedEvent[],
  moveChanged: boolean,
): Promise<void> {
  await lockFeed(tx)
  const column = (read: (one: PublishedEvent) => unknown) => published.map(read)
  await tx.query(insertSql, [
    column(({ event }) => event.id),
    column(({ event }) => event.providerSlug),
    column(({ event }) => event.eventType),
    column(({ event }) => event.confirmationState === 'confirmed'),
    column(({ event }) => event.firstObservedAt),
    column(({ event }) => event.incident?.id),
    column(({ event }) => event.incident?.sequence),
    column(({ event }) => JSON.stringify(serviceEvent.parse(event))),
    column(({ change }) => change),
    moveChanged,
    column(({ at }) => at),
    column(({ event }) => factModelOf(event)),
  ])
}

const insertSql = `
with given as (
  select *, nextval('sandbox.feed_position') as position
  from (
    select * from unnest(
      $1::text[], $2::text[], $3::text[], $4::boolean[], $5::timestamptz[], $6::text[], $7::integer[],
      $8::text[], $9::text[], $11::timestamptz[], $12::text[]
    ) with ordinality as given (
      id, provider, type, is_confirmed, first_observed_at, incident_id, incident_sequence, body,
      change, at, model, ordinal
    )
    order by ordinal
  ) ordered
),
stored as (
  insert into sandbox.event as event (
    id, position, provider, type, is_confirmed, first_observed_at, incident_id, incident_sequence, body,
    model
  )
  select distinct on (id) id,
    case when $10 then position else min(position) over (partition by id) end,
    provider, type, is_confirmed, first_observed_at, incident_id, incident_sequence, body,
    model
  from given
  order by id, given.position desc
  on conflict (id) do update set
    position = case when $10 then excluded.position else event.position end,
    (provider, type, is_confirmed, first_observed_at, incident_id, incident_sequence, body, model) = (
      excluded.provider, excluded.type, excluded.is_confirmed, excluded.first_observed_at,
      excluded.incident_id, excluded.incident_sequence, excluded.body, excluded.model
    )
)
insert into sandbox.feed_log (position, event_id, change, at)
select position, id, change, coalesce(at, sandbox.clock_time()) from given`

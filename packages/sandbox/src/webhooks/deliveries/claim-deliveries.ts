import type { Database } from '@feed-receiver/database'
import type { ClaimedDelivery } from '../../state/delivery.ts'

/** The lease of a claimed attempt: twice its timeout, in real time. */
export const leaseSeconds = 20

/** The maximum number of concurrent attempts in a process. */
export const limits = {
  /** To one destination. A receiver of the kit accepts 256. */
  perDestination: 128,
  /** To all destinations. */
  total: 512,
  /**
   * A destination with less free capacity is skipped, because a statement for few deliveries is
   * costly.
   */
  minCapacity: 64,
}

/**
 * Claims deliveries that are due by the sandbox's clock, and records their attempts before sending.
 * After a crash they count as made, because they may have arrived. Due deliveries that must not be
 * sent any more end here.
 *
 * @param total The maximum number of claimed deliveries.
 * @param inFlight The number of in-flight attempts, by destination.
 * @returns the deliveries to attempt; the destinations that reached their limit and may have more,
 * counting deliveries that ended here; and whether there is any fault rule.
 */
export async function claimDeliveries(
  database: Database,
  total: number,
  inFlight: ReadonlyMap<string, number>,
) {
  const { perDestination, minCapacity } = limits
  const busy = [[...inFlight.keys()], [...inFlight.values()]]
  const synchronousCommit = database.kind === 'postgres' ? 'off' : 'on'
  const { rows } = await database.query<ClaimedDelivery & { state: string; hasFaults: boolean }>(
    claimSql,
    [total, perDestination, minCapacity, ...busy, synchronousCommit],
  )
  const claimed = new Map<string, number>()
  for (const { destinationId: id } of rows) claimed.set(id, (claimed.get(id) ?? 0) + 1)
  return {
    deliveries: rows.filter(({ state }) => state === 'in_flight'),
    mayHaveMore: [...claimed].filter(([, count]) => count >= minCapacity).map(([id]) => id),
    hasFaults: rows.some(({ hasFaults }) => hasFaults),
  }
}

// ready: the destinations with free capacity. due: the oldest deliveries of each. target: the state
// of each destination, its current secret, and the next state of its deliveries. claimed, recorded: a
// delivery and its attempt.
//
// The statement chooses the signing secret by the clock, whether or not `applyRotations` has run.
// It commits asynchronously: if PostgreSQL crashes, lost claims are due again. An embedded
// database commits synchronously, because it would lose them with this process.
const claimSql = `
with now as materialized (
  select sandbox.clock_time() as at, set_config('synchronous_commit', $6, true)
),
ready as materialized (
  select t.id, $2::integer - coalesce(busy.attempts, 0) as room
  from sandbox.destination t
  left join unnest($4::text[], $5::integer[]) as busy (id, attempts) on busy.id = t.id
  where t.state <> 'deleted' and $2::integer - coalesce(busy.attempts, 0) >= $3::integer
  order by random()
),
due as materialized (
  select first.id, ready.id as destination_id
  from ready
  cross join lateral (
    select d.id from sandbox.delivery d
    where d.state = 'scheduled' and d.destination_id = ready.id
      and d.next_attempt_at <= (select at from now)
    order by d.next_attempt_at, d.id
    limit ready.room
    for update skip locked
  ) first
  limit $1
),
target as materialized (
  select t.id, t.kind, t.url_sealed, t.generation, s.id as secret_id, s.sealed, rejection,
    case
      when rejection is null then 'in_flight'
      when rejection = 'destination_paused' and exists (
        select from sandbox.delivery_fault f
        where f.fault = 'hold_paused' and (f.destination_id is null or f.destination_id = t.id)
      ) then 'held'
      when rejection = 'pro_inactive' then 'skipped'
      else 'cancelled'
    end as next_state
  from sandbox.destination t
  join sandbox.account a on a.id = t.account_id
  cross join lateral (
    select case
      when not a.pro_active then 'pro_inactive'
      when t.state <> 'active' then 'destination_' || t.state
    end as rejection
  ) checked
  left join lateral (
    select id, sealed from sandbox.destination_secret
    where destination_id = t.id
      and (state = 'current' or (state = 'pending' and activates_at <= (select at from now)))
    order by state = 'pending' desc
    limit 1
  ) s on true
  where t.id in (select destination_id from due)
),
claimed as (
  update sandbox.delivery d set
    state = next_state,
    reason = rejection,
    attempts = attempts + case when rejection is null then 1 else 0 end,
    next_attempt_at = null,
    lease_until = case
      when rejection is null then clock_timestamp() + interval '${leaseSeconds} seconds'
    end,
    ended_at = case when next_state in ('cancelled', 'skipped') then (select at from now) end
  from due join target on target.id = due.destination_id
  where d.id = due.id
  returning d.id, d.event_id, d.kind, d.state, d.attempts, d.body, d.destination_id,
    target.kind as destination_kind, url_sealed, sealed, secret_id, generation
),
recorded as (
  insert into sandbox.delivery_attempt (delivery_id, attempt, started_at, generation, secret_id)
  select id, attempts, (select at from now), generation, secret_id
  from claimed where state = 'in_flight'
)
select id, event_id as "eventId", kind, state, attempts as attempt, body,
  destination_id as "destinationId", destination_kind as "destinationKind",
  url_sealed as "urlSealed", sealed as "secretSealed",
  exists (select from sandbox.delivery_fault) as "hasFaults"
from claimed
order by id`

import type { Queryable } from '@feed-receiver/database'
import type { AttemptOutcome } from '../../state/delivery.ts'

/** The cause of a pausing response that came too late to pause its destination. */
export const lateRejection = 'late_rejection'

/**
 * Stores the outcomes of attempts in one statement, with the new states of their deliveries and
 * destinations: an accepted test activates a destination. A pausing response has an effect only if
 * its destination has not changed since the attempt began. So a late response cannot pause a
 * destination that was reactivated meanwhile. Missing members are stored as null.
 *
 * Returns the ids of the deliveries with such a late response.
 */
export async function finishAttempts(
  db: Queryable,
  outcomes: readonly Partial<AttemptOutcome>[],
): Promise<ReadonlySet<number>> {
  const { rows } = await db.query<{ id: number }>(finishSql, [JSON.stringify(outcomes)])
  return new Set(rows.map(({ id }) => id))
}

// found: the outcomes of in-flight attempts, each with its delivery and destination. evaluated: the
// next state of the delivery. recorded: the attempt. ended: the delivery. paused, activated: the
// destination. released: deliveries held until its return. A repeated test failure is logged once.
//
// Every statement touches deliveries first, because a reset locks whole tables, and two orders
// could deadlock.
const finishSql = `
with now as materialized (select sandbox.clock_time() as at),
outcome as materialized (
  select * from jsonb_to_recordset($1) as outcome (
    "deliveryId" bigint, attempt integer, result text, cause text, status integer, "signedAt" bigint,
    "errorCode" text, "errorMessage" text, "durationMs" integer, "retryAfter" text,
    "nextDelayMs" bigint, "responseBody" text, fault text
  )
),
found as materialized (
  select o.*, d.kind, t.id as target_id, t.state as target_state, a.generation,
    t.generation = a.generation as is_current
  from outcome o
  join sandbox.delivery d on d.id = o."deliveryId" and d.attempts = o.attempt
  join sandbox.destination t on t.id = d.destination_id
  join sandbox.delivery_attempt a on a.delivery_id = d.id and a.attempt = o.attempt
  where d.state = 'in_flight'
),
evaluated as materialized (
  select *,
    case
      when result = 'accepted' then 'delivered'
      when kind = 'test' then 'test_failed'
      when result = 'pause' or cause = 'ended_by_fault' then 'rejected'
      when target_state = 'deleted' then 'cancelled'
      when "nextDelayMs" is null then 'exhausted'
      else 'scheduled'
    end as next_state,
    case
      when result = 'accepted' then null
      when kind = 'test' or cause = 'ended_by_fault' then cause
      when result = 'pause' and target_state = 'active' and not is_current then '${lateRejection}'
      when result <> 'pause' and target_state = 'deleted' then 'destination_deleted'
      else cause
    end as next_reason
  from found
),
recorded as (
  update sandbox.delivery_attempt a set
    (outcome, cause, status, signed_at, duration_ms, retry_after, next_delay_ms, response_body,
      fault, error_code, error_message) =
    (o.result, o.cause, o.status, o."signedAt", o."durationMs", o."retryAfter", o."nextDelayMs",
      o."responseBody", o.fault, o."errorCode", o."errorMessage")
  from outcome o
  where a.delivery_id = o."deliveryId" and a.attempt = o.attempt
),
ended as (
  update sandbox.delivery d set
    state = next_state,
    reason = next_reason,
    next_attempt_at = case
      when next_state = 'scheduled' then (select at from now) + "nextDelayMs" * interval '1 millisecond'
    end,
    lease_until = null,
    ended_at = case when next_state <> 'scheduled' then (select at from now) end
  from evaluated
  where d.id = evaluated."deliveryId" and d.state = 'in_flight' and d.attempts = evaluated.attempt
  returning d.id, d.kind, d.state, target_id, generation, is_current, result, cause, status
),
paused as (
  update sandbox.destination t set
    state = 'paused', generation = t.generation + 1, state_changed_at = (select at from now)
  from (
    select distinct on (target_id) target_id, generation, id as delivery_id, status
    from ended
    where result = 'pause' and kind <> 'test' and is_current
    order by target_id, id
  ) e
  where t.id = e.target_id and t.state = 'active' and t.generation = e.generation
  returning t.id, e.delivery_id, e.status
),
activated as (
  update sandbox.destination t set
    state = 'active', generation = t.generation + 1, state_changed_at = (select at from now)
  from (
    select distinct on (target_id) target_id, id as delivery_id
    from ended where kind = 'test' and result = 'accepted' order by target_id, id
  ) e
  where t.id = e.target_id and t.state in ('new', 'paused')
  returning t.id, e.delivery_id
),
released as (
  update sandbox.delivery set state = 'scheduled', next_attempt_at = (select at from now)
  where state = 'held' and destination_id in (select id from activated)
),
logged as (
  insert into sandbox.destination_log (destination_id, at, change, detail, delivery_id)
  select id, (select at from now), 'paused', 'answered ' || status, delivery_id from paused
  union all
  select id, (select at from now), 'activated', null, delivery_id from activated
  union all
  select target_id, (select at from now), state, cause, id
  from ended
  left join lateral (
    select change, detail from sandbox.destination_log
    where destination_id = target_id order by id desc limit 1
  ) before on true
  where state = 'exhausted'
    or (state = 'test_failed' and cause <> 'interrupted'
      and (before.change, before.detail) is distinct from (state, cause))
)
select "deliveryId" as id from evaluated where next_reason = '${lateRejection}'`

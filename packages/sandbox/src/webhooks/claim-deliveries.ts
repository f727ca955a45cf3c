import type { Database } from '@feed-receiver/database'
import type { DestinationKind } from './render-body.ts'

/** A delivery whose attempt is to be made now. */
export interface ClaimedDelivery {
  id: number
  eventId: string
  kind: 'live' | 'test' | 'replay'
  /** The number of this attempt; the first is 1. */
  attempt: number
  body: string
  destinationId: string
  destinationKind: DestinationKind
  urlSealed: Buffer
  /** Of what signs now, by the sandbox's clock. Null for a chat. */
  secretSealed: Buffer | null
}

/** For how long an attempt belongs to whoever claimed it: its deadline twice, in real time. */
export const leaseSeconds = 20

/**
 * Takes deliveries that are due by the sandbox's clock, at most `limit`, and notes their attempts before
 * anything is sent: after a crash they count as made, since they may have arrived. What is due but must
 * not be sent any more ends here.
 *
 * @returns those to send; `taken` counts the others as well.
 */
export async function claimDeliveries(
  database: Database,
  { limit, except }: { limit: number; except: readonly string[] },
): Promise<{ deliveries: ClaimedDelivery[]; taken: number }> {
  const { rows } = await database.query<ClaimedDelivery & { state: string }>(claimSql, [
    limit,
    except,
  ])
  return { deliveries: rows.filter(({ state }) => state === 'in_flight'), taken: rows.length }
}

// Which secret signs is decided here, and not by when it was put in its place (T22).
const claimSql = `
with now as materialized (select sandbox.clock_time() as at),
due as materialized (
  select id, destination_id from sandbox.delivery
  where state = 'scheduled' and next_attempt_at <= (select at from now)
    and destination_id <> all($2::text[])
  order by next_attempt_at, id
  limit $1
  for update skip locked
),
target as materialized (
  select t.id, t.kind, t.url_sealed, t.generation, s.id as secret_id, s.sealed,
    case
      when t.state = 'deleted' then 'destination_deleted'
      when not a.pro_active then 'pro_inactive'
      when t.state <> 'active' then 'destination_paused'
    end as refusal,
    exists (
      select from sandbox.delivery_fault f
      where f.fault = 'hold_paused' and (f.destination_id is null or f.destination_id = t.id)
    ) as holds
  from sandbox.destination t
  join sandbox.account a on a.id = t.account_id
  left join lateral (
    select id, sealed from sandbox.destination_secret
    where destination_id = t.id
      and (state = 'current' or (state = 'pending' and activates_at <= (select at from now)))
    order by state = 'pending' desc
    limit 1
  ) s on true
  where t.id in (select destination_id from due)
),
decided as (
  select target.*, due.id as delivery_id,
    case
      when refusal is null then 'in_flight'
      when refusal = 'destination_paused' and holds then 'held'
      when refusal = 'pro_inactive' then 'skipped'
      else 'cancelled'
    end as next_state
  from due join target on target.id = due.destination_id
),
claimed as (
  update sandbox.delivery d set
    state = next_state,
    reason = refusal,
    attempts = attempts + case when refusal is null then 1 else 0 end,
    next_attempt_at = null,
    lease_until = case
      when refusal is null then clock_timestamp() + interval '${leaseSeconds} seconds'
    end,
    ended_at = case when next_state in ('cancelled', 'skipped') then (select at from now) end
  from decided
  where d.id = decided.delivery_id
  returning d.id, d.event_id, d.kind, d.state, d.attempts, d.body, d.destination_id,
    decided.kind as destination_kind, decided.url_sealed, decided.sealed, decided.secret_id,
    decided.generation
),
noted as (
  insert into sandbox.delivery_attempt (delivery_id, attempt, started_at, generation, secret_id)
  select id, attempts, (select at from now), generation, secret_id
  from claimed where state = 'in_flight'
)
select id, event_id as "eventId", kind, state, attempts as attempt, body,
  destination_id as "destinationId", destination_kind as "destinationKind",
  url_sealed as "urlSealed", sealed as "secretSealed"
from claimed
order by id`

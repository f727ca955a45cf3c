import type { Queryable } from '@feed-receiver/database'

/** What one statement found and charged for some requests of one key. */
export interface Charge {
  accountId: string
  keyDisplay: string
  proActive: boolean
  decisionIntelligence: boolean
  privateActivity: boolean
  usageLimit: number
  burstLimit: number
  /** The sandbox's time. */
  now: Date
  /** The usage period, as `2026-09`, and when it and the minute end, in ISO 8601. */
  period: string
  resetsAt: string
  burstResetsAt: string
  /** How many of the requests were let through, and what was used after them. */
  granted: number
  requests: number
  burstRequests: number
  /** Whether any fault rule is there to be looked for. */
  hasFaults: boolean
}

/**
 * Finds the key and charges its account for `count` requests, as far as month and minute both allow
 * (R226, R227). One row is written under its lock, so no two requests, in whatever process, are ever
 * given the same last place. Undefined where the key is unknown or revoked.
 */
export async function chargeRequests(
  db: Queryable,
  keySha256: string,
  count: number,
): Promise<Charge | undefined> {
  const { rows } = await db.query<ChargeRow>(chargeSql, [keySha256, count], { isRepeated: true })
  const [row] = rows
  if (!row) return undefined
  const { periodStart, periodEnd, windowEnd, ...charge } = row
  return {
    ...charge,
    period: periodStart.toISOString().slice(0, 7),
    resetsAt: periodEnd.toISOString(),
    burstResetsAt: windowEnd.toISOString(),
  }
}

type ChargeRow = Omit<Charge, 'period' | 'resetsAt' | 'burstResetsAt'> &
  Record<'periodStart' | 'periodEnd' | 'windowEnd', Date>

// Period and window only move on: a process that read the time just before the turn, and wrote just
// after another one, must not open the old minute again. The key is written after the allowance, in
// every process, since two orders could deadlock; and not for every request of a second.
const chargeSql = `
with asked as materialized (
  select k.sha256, k.display, k.last_used_at, a.*, clock.now,
    date_trunc('month', clock.now, 'UTC') as period_start,
    date_trunc('minute', clock.now, 'UTC') as window_start
  from sandbox.api_key k
  join sandbox.account a on a.id = k.account_id
  cross join (select sandbox.clock_time() as now) clock
  where k.sha256 = $1 and k.revoked_at is null
),
charged as (
  update sandbox.allowance w
  set (period_start, requests, window_start, burst_requests, granted) = (
    select period_start, used + granted, window_start, burst + granted, granted
    from (
      select
        greatest(w.period_start, asked.period_start) as period_start,
        greatest(w.window_start, asked.window_start) as window_start,
        case when w.period_start < asked.period_start then 0 else w.requests end as used,
        case when w.window_start < asked.window_start then 0 else w.burst_requests end as burst
    ) before
    cross join lateral (
      select greatest(0, least($2::int, asked.usage_limit - used, asked.burst_limit - burst))
        as granted
    ) after
  )
  from asked
  where w.account_id = asked.id and asked.pro_active
  returning w.period_start, w.requests, w.window_start, w.burst_requests, w.granted
),
touched as (
  update sandbox.api_key k
  set last_used_at = asked.now
  from asked
  where k.sha256 = asked.sha256
    and (select count(*) from charged) >= 0
    and (asked.last_used_at is null
      or asked.last_used_at not between asked.now - interval '1 second' and asked.now)
)
select asked.id as "accountId", asked.display as "keyDisplay", asked.pro_active as "proActive",
  asked.decision_intelligence as "decisionIntelligence",
  asked.private_activity as "privateActivity", asked.usage_limit as "usageLimit",
  asked.burst_limit as "burstLimit", asked.now,
  coalesce(charged.period_start, asked.period_start) as "periodStart",
  date_trunc('month', coalesce(charged.period_start, asked.period_start), 'UTC')
    + interval '1 month' as "periodEnd",
  coalesce(charged.window_start, asked.window_start) + interval '1 minute' as "windowEnd",
  coalesce(charged.granted, 0) as granted,
  coalesce(charged.requests, 0) as requests,
  coalesce(charged.burst_requests, 0) as "burstRequests",
  exists (select from sandbox.api_fault) as "hasFaults"
from asked left join charged on true`

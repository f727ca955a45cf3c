import { createHash } from 'node:crypto'
import { createGroupCommit } from '@feed-receiver/database/internal'
import type { Queryable } from '@feed-receiver/database'

/** The caller of a request, and the usage of its account. */
export interface Caller {
  accountId: string
  keyDisplay: string
  proActive: boolean
  decisionIntelligence: boolean
  privateActivity: boolean
  usageLimit: number
  burstLimit: number
  /** The sandbox's time. */
  now: Date
  /** The usage period, and when it and the minute end. */
  periodStart: Date
  periodEnd: Date
  windowEnd: Date
  /** The usage after this request. */
  requests: number
  burstRequests: number
  /** Whether there is any fault rule. */
  hasFaults: boolean
  /** Whether the request was charged. If the quota is used up, it is rejected. */
  isGranted: boolean
}

/** The result of one statement that charged some requests of one key. */
interface Charge extends Omit<Caller, 'isGranted'> {
  /** How many of the requests were charged. */
  granted: number
}

/** Charges a request by its key; undefined if that is unknown or revoked. */
export type ChargeRequest = (key: string) => Promise<Caller | undefined>

/**
 * Returns what charges requests before they are answered. Concurrent requests of one key share the
 * next statement, each with its own place in it. A single request does not wait for others.
 */
export function createCharging(database: Queryable): ChargeRequest {
  const { add } = createGroupCommit<string, Caller | undefined>(
    async (group, key) => {
      const given = [key, group.length]
      const { rows } = await database.query<Charge>(chargeSql, given, { isRepeated: true })
      return group.map((_, index) => rows[0] && callerAt(rows[0], index))
    },
    { keyOf: (key) => key },
  )
  return (key) => add(hashKey(key))
}

/** A key is random and long, so a fast hash protects it as well as a slow one. */
export function hashKey(key: string): string {
  return createHash('sha256').update(key).digest('hex')
}

/** The first requests of a group were granted. Each counts those before it, and itself. */
function callerAt(charge: Charge, index: number): Caller {
  const isGranted = index < charge.granted
  const later = isGranted ? charge.granted - index - 1 : 0
  return {
    ...charge,
    isGranted,
    requests: charge.requests - later,
    burstRequests: charge.burstRequests - later,
  }
}

// Finds the key and charges its account for the requests, as far as both month and minute allow.
// The row lock ensures that no two requests, in any process, get the same last place.
//
// Period and window only move forward: a process that read the time just before the turn must not
// reopen the old minute. Every process writes the key after the usage, because two orders could
// deadlock. The key is written at most once per second.
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

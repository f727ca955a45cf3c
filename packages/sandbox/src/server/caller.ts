import type { Usage } from '@feed-receiver/core/api'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { hashKey } from '../state/api-keys.ts'
import type { Caller } from './charging.ts'
import type { Context } from './context.ts'
import { Refusal } from './refusals.ts'
import { notesOf } from './answered.ts'

/**
 * Lets a request pass, or refuses it: 401 and 403 and 429 in this order, and none of these is charged
 * (R123, R231).
 */
export async function admit({ chargeRequest }: Context, request: FastifyRequest): Promise<Caller> {
  const key = readBearer(request.headers.authorization)
  const caller = key?.startsWith('feed_live_') ? await chargeRequest(hashKey(key)) : undefined
  if (!caller) {
    throw new Refusal('bad_key', { headers: { 'WWW-Authenticate': 'Bearer realm="feed"' } })
  }
  notesOf(request).caller = caller
  if (!caller.proActive) throw new Refusal('pro_inactive')
  if (!caller.isGranted) throw spent(caller)
  return caller
}

export function usageOf({ requests, usageLimit, periodStart, periodEnd }: Caller): Usage {
  const period = periodStart.toISOString().slice(0, 7)
  return { requests, limit: usageLimit, period, resetsAt: periodEnd.toISOString() }
}

/** The six headers of a successful read (R228). */
export function writeLimits(reply: FastifyReply, caller: Caller): void {
  const { burstLimit, burstRequests, windowEnd } = caller
  void reply.headers({
    ...usageHeaders(caller),
    'X-RateLimit-Burst-Limit': String(burstLimit),
    'X-RateLimit-Burst-Remaining': String(Math.max(0, burstLimit - burstRequests)),
    'X-RateLimit-Burst-Reset': windowEnd.toISOString(),
  })
}

// Where both are used up, the one that takes longer is what the caller has to wait for.
function spent(caller: Caller): Refusal {
  const isUsage = caller.requests >= caller.usageLimit
  const end = isUsage ? caller.periodEnd : caller.windowEnd
  const seconds = Math.ceil((end.getTime() - caller.now.getTime()) / 1000)
  return new Refusal(isUsage ? 'usage_spent' : 'burst_spent', {
    headers: {
      'Retry-After': String(Math.max(1, seconds)),
      'X-RateLimit-Scope': isUsage ? 'usage_period' : 'burst',
      ...usageHeaders(caller),
    },
  })
}

// Of the usage period even where the burst is what ran out, as the usage object says it (R229).
function usageHeaders({ usageLimit, requests, periodEnd }: Caller): Record<string, string> {
  return {
    'X-RateLimit-Limit': String(usageLimit),
    'X-RateLimit-Remaining': String(Math.max(0, usageLimit - requests)),
    'X-RateLimit-Reset': periodEnd.toISOString(),
  }
}

/** The token of an Authorization header of the Bearer scheme, which is not case-sensitive (R186). */
export function readBearer(header: string | undefined): string | undefined {
  return /^bearer +([A-Za-z0-9._~+/=-]{1,512}) *$/i.exec(header ?? '')?.[1]
}

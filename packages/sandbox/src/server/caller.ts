import type { Usage } from '@feed-receiver/core/api'
import type { FastifyReply } from 'fastify'
import { hashKey } from '../state/api-keys.ts'
import { Refusal } from './refusals.ts'
import type { ChargedRequest, ChargeRequest } from './charging.ts'

/** Who asks, with what is left to them after this request. */
export type Caller = ChargedRequest

/**
 * Lets a request pass, or refuses it: 401 and 403 and 429 in this order, and none of these is charged
 * (R123, R231).
 */
export async function admit(
  chargeRequest: ChargeRequest,
  authorization: string | undefined,
  onKnown: (caller: Caller) => void = () => undefined,
): Promise<Caller> {
  const key = readBearer(authorization)
  const caller = key?.startsWith('feed_live_') ? await chargeRequest(hashKey(key)) : undefined
  if (!caller) {
    throw new Refusal('bad_key', { headers: { 'WWW-Authenticate': 'Bearer realm="feed"' } })
  }
  onKnown(caller)
  if (!caller.proActive) throw new Refusal('pro_inactive')
  if (!caller.isGranted) throw spent(caller)
  return caller
}

export function usageOf({ requests, usageLimit, period, resetsAt }: Caller): Usage {
  return { requests, limit: usageLimit, period, resetsAt }
}

/** The six headers of a successful read (R228). */
export function writeLimits(reply: FastifyReply, caller: Caller): void {
  const { burstLimit, burstRequests, burstResetsAt } = caller
  void reply.headers(usageHeaders(caller))
  void reply.headers({
    'X-RateLimit-Burst-Limit': String(burstLimit),
    'X-RateLimit-Burst-Remaining': String(Math.max(0, burstLimit - burstRequests)),
    'X-RateLimit-Burst-Reset': burstResetsAt,
  })
}

// Where both are used up, the one that takes longer is what the caller has to wait for.
function spent(caller: Caller): Refusal {
  const isUsage = caller.requests >= caller.usageLimit
  const end = Date.parse(isUsage ? caller.resetsAt : caller.burstResetsAt)
  const seconds = Math.ceil((end - caller.now.getTime()) / 1000)
  return new Refusal(isUsage ? 'usage_spent' : 'burst_spent', {
    headers: {
      'Retry-After': String(Math.max(1, seconds)),
      'X-RateLimit-Scope': isUsage ? 'usage_period' : 'burst',
      ...usageHeaders(caller),
    },
  })
}

// Of the usage period even where the burst is what ran out, as the usage object says it (R229).
function usageHeaders({ usageLimit, requests, resetsAt }: Caller): Record<string, string> {
  return {
    'X-RateLimit-Limit': String(usageLimit),
    'X-RateLimit-Remaining': String(Math.max(0, usageLimit - requests)),
    'X-RateLimit-Reset': resetsAt,
  }
}

/** The token of an Authorization header of the Bearer scheme, which is not case-sensitive (R186). */
export function readBearer(header: string | undefined): string | undefined {
  return /^bearer +([A-Za-z0-9._~+/=-]{1,512}) *$/i.exec(header ?? '')?.[1]
}

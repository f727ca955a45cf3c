import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Usage } from '@feed-receiver/client/internal'
import { notesOf } from './request-notes.ts'
import type { Caller } from './charging.ts'
import type { Context } from './context.ts'
import { Rejection } from './rejections.ts'
import { rejectOtherMethods, rejectUnrouted } from './reject-unrouted.ts'

export interface ApiRoute {
  path: string
  /** Handles an admitted request. Returns the body as JSON. */
  answer(
    context: Context,
    caller: Caller,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<string>
}

/**
 * Adds the addresses that require an API key. Each request is first admitted or rejected. An
 * admitted request is charged, whatever its result.
 */
export function addApiRoutes(
  server: FastifyInstance,
  context: Context,
  routes: readonly ApiRoute[],
): void {
  server.addHook('onRequest', async (request) => {
    await admit(context, request)
  })
  for (const { path, answer } of routes) {
    server.get(path, async (request, reply) => {
      const caller = callerOf(request)
      void reply.header('Cache-Control', 'no-store').type('application/json')
      const body = await answer(context, caller, request, reply)
      writeLimits(reply, caller)
      return Buffer.from(body)
    })
    rejectOtherMethods(server, path, 'GET, HEAD')
  }
  rejectUnrouted(server)
}

/**
 * Admits a request, or rejects it with 401, 403 or 429, checked in this order. A rejected request
 * is not charged.
 */
export async function admit({ chargeRequest }: Context, request: FastifyRequest): Promise<Caller> {
  const key = readBearer(request.headers.authorization)
  const caller = key?.startsWith('feed_live_') ? await chargeRequest(key) : undefined
  if (!caller) {
    throw new Rejection('bad_key', { headers: { 'WWW-Authenticate': 'Bearer realm="feed"' } })
  }
  notesOf(request).caller = caller
  if (!caller.proActive) throw new Rejection('pro_inactive')
  if (!caller.isGranted) throw limitReached(caller)
  return caller
}

/** The caller of an admitted request. */
export function callerOf(request: FastifyRequest): Caller {
  const { caller } = notesOf(request)
  if (!caller) throw new Rejection('failed')
  return caller
}

export function usageOf({ requests, usageLimit, periodStart, periodEnd }: Caller): Usage {
  const period = periodStart.toISOString().slice(0, 7)
  return { requests, limit: usageLimit, period, resetsAt: periodEnd.toISOString() }
}

/** The six headers of a successful read. */
export function writeLimits(reply: FastifyReply, caller: Caller): void {
  const { burstLimit, burstRequests, windowEnd } = caller
  void reply.headers({
    ...usageHeaders(caller),
    'X-RateLimit-Burst-Limit': String(burstLimit),
    'X-RateLimit-Burst-Remaining': String(Math.max(0, burstLimit - burstRequests)),
    'X-RateLimit-Burst-Reset': windowEnd.toISOString(),
  })
}

// If both limits are used up, the caller must wait for the later reset.
function limitReached(caller: Caller): Rejection {
  const isUsage = caller.requests >= caller.usageLimit
  const end = isUsage ? caller.periodEnd : caller.windowEnd
  const seconds = Math.ceil((end.getTime() - caller.now.getTime()) / 1000)
  return new Rejection(isUsage ? 'usage_exhausted' : 'burst_exhausted', {
    headers: {
      'Retry-After': String(Math.max(1, seconds)),
      'X-RateLimit-Scope': isUsage ? 'usage_period' : 'burst',
      ...usageHeaders(caller),
    },
  })
}

// Always of the usage period, even if the burst limit was reached, like the usage object.
function usageHeaders({ usageLimit, requests, periodEnd }: Caller): Record<string, string> {
  return {
    'X-RateLimit-Limit': String(usageLimit),
    'X-RateLimit-Remaining': String(Math.max(0, usageLimit - requests)),
    'X-RateLimit-Reset': periodEnd.toISOString(),
  }
}

/** The token of an Authorization header. The scheme Bearer ignores case. */
export function readBearer(header: string | undefined): string | undefined {
  return /^bearer +([A-Za-z0-9._~+/=-]{1,512}) *$/i.exec(header ?? '')?.[1]
}

import { setTimeout as delay } from 'node:timers/promises'
import type { FastifyReply } from 'fastify'
import type { ApiHandler } from '../server/api-routes.ts'
import type { Caller } from '../server/charging.ts'
import type { Context } from '../server/context.ts'
import { Rejection } from '../server/rejections.ts'
import { takeApiFault, type ApiFault, type FaultSurface } from './api-faults.ts'

/** Wraps the handler of an address to inject the faults of its rules. */
export function withFaults(
  context: Context,
  surface: FaultSurface,
  answer: ApiHandler,
): ApiHandler {
  return async (caller, request, reply) => {
    const fault = await takeFault(context, surface, caller)
    const body = await answer(caller, request, reply)
    if (!fault) return body
    if (fault.kind === 'cut') cutAnswer(reply, body)
    if (fault.kind === 'not_json') {
      void reply.type('text/html')
      return proxyPage
    }
    return JSON.stringify(corruptMembers(JSON.parse(body), fault.kind, request.query))
  }
}

/** Uses up one rule for this address, and applies faults before the response: a delay or rejection. */
export async function takeFault(
  { database }: Context,
  surface: FaultSurface,
  { hasFaults }: Caller,
): Promise<ApiFault | undefined> {
  const fault = hasFaults ? await takeApiFault(database, surface) : undefined
  if (fault?.kind === 'delay') await delay(fault.ms)
  if (fault?.kind !== 'status') return fault
  const detail = 'A fault rule of the sandbox caused this response.'
  throw new Rejection(fault.status === 500 ? 'failed' : 'unavailable', { detail })
}

/** The page that a proxy serves while the service behind it is down. */
export const proxyPage = '<!doctype html><title>Back soon</title>'

export function cutAnswer(reply: FastifyReply, body: string): void {
  reply.hijack()
  const { raw } = reply
  raw.writeHead(200, {
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(body),
  })
  raw.write(body.slice(0, body.length / 2), () => raw.destroy())
}

/** Adds wrong members to a response, or alters its members. `sent` are the request's parameters. */
export function corruptMembers(
  answer: Record<string, unknown>,
  kind: ApiFault['kind'],
  sent: unknown,
): Record<string, unknown> {
  if (kind === 'null_cursor') return { ...answer, nextCursor: null }
  if (kind === 'stuck_cursor') {
    return { ...answer, nextCursor: Object(sent).cursor ?? null, hasMore: true }
  }
  if (kind === 'other_contract') {
    return { ...answer, contractVersion: 'account-events/2099-01-01.v9' }
  }
  return kind === 'unknown_member' ? withUnknownMember(answer) : answer
}

function withUnknownMember({ data, event, ...answer }: Record<string, unknown>) {
  const add = (given: object) => ({ ...given, xUnknown: { added: 'by a fault rule' } })
  return {
    ...add(answer),
    ...(Array.isArray(data) && { data: data.map(add) }),
    ...(event !== undefined && { event: add(Object(event)) }),
  }
}

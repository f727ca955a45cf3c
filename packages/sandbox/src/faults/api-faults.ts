import { setTimeout as delay } from 'node:timers/promises'
import type { FastifyReply } from 'fastify'
import { z } from 'zod'
import { action, numbered, read } from '../server/action.ts'
import type { ApiRoute } from '../server/api-routes.ts'
import type { Caller } from '../server/charging.ts'
import type { Context } from '../server/context.ts'
import { found, Rejection } from '../server/rejections.ts'
import { noFaults, ruleTable, ruleTimes, type FaultRule } from './rules.ts'

const faultSurfaces = ['events', 'account-events', 'account-event', 'mcp'] as const

export type FaultSurface = (typeof faultSurfaces)[number]

/** The faults that a response can have, to test a client. */
const apiFault = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('status'), status: z.literal([500, 503]) }),
  z.strictObject({ kind: z.literal('delay'), ms: z.int().min(1).max(60_000) }),
  z.strictObject({
    kind: z.enum([
      // The connection ends in the middle of the body.
      'cut',
      // A foreign page, as a proxy may send with 200.
      'not_json',
      // An undocumented member, in the response and in each of its events.
      'unknown_member',
      // nextCursor is null.
      'null_cursor',
      // hasMore is true, and nextCursor is the one that was sent, or null.
      'stuck_cursor',
      // A future contract of account events.
      'other_contract',
    ]),
  }),
])

export type ApiFault = z.infer<typeof apiFault>

/** The faults of any response, and those of the content of one, and of a page. */
export const ofResponses = ['status', 'delay', 'cut', 'not_json'] as const
const everywhere = [...ofResponses, 'unknown_member'] as const
const ofPages = ['null_cursor', 'stuck_cursor'] as const

/** The faults with an effect at each address: only pages have a cursor, and only some a contract. */
export const faultsAt: Record<FaultSurface, readonly ApiFault['kind'][]> = {
  events: [...everywhere, ...ofPages],
  'account-events': [...everywhere, ...ofPages, 'other_contract'],
  'account-event': [...everywhere, 'other_contract'],
  mcp: [...everywhere, ...ofPages],
}

export interface ApiFaultRule extends FaultRule {
  surface: FaultSurface
  fault: ApiFault
}

const apiFaults = ruleTable<ApiFaultRule>('api_fault', 'surface, fault')

export const listApiFaults = read('Lists the fault rules of the API.', ({ database }) =>
  apiFaults.list(database),
)

export const createApiFault = action(
  'Makes an address of the API fail, `times` times or until the rule is deleted; rejects a rule without an effect.',
  z
    .strictObject({ surface: z.enum(faultSurfaces), fault: apiFault, times: ruleTimes })
    .check(({ value, issues }) => {
      const { surface, fault } = value
      if (faultsAt[surface].includes(fault.kind)) return
      const message = `${fault.kind} has no effect on ${surface}; choose one of ${faultsAt[surface].join(', ')}`
      issues.push({ code: 'custom', path: ['fault'], message, input: value })
    }),
  async ({ database }, { surface, fault, times }) => {
    const insert = '(surface, fault, times_left) values ($1, $2, $3)'
    const rule = await apiFaults.add(database, insert, [surface, fault, times], {
      is: (one) => one.surface === surface,
      does: `already applies to every request to ${surface}, so this one would never apply`,
    })
    return found(rule, 'fault')
  },
  noFaults,
)

export const deleteApiFault = action(
  'Deletes a fault rule of the API.',
  numbered,
  ({ database }, { id }) => apiFaults.delete(database, id),
)

/** Wraps the handler of an address to inject the faults of its rules. */
export function withFaults(surface: FaultSurface, answer: ApiRoute['answer']): ApiRoute['answer'] {
  return async (context, caller, request, reply) => {
    // First, because a rejected request uses up no rule.
    const body = await answer(context, caller, request, reply)
    const fault = await takeFault(context, surface, caller)
    if (!fault) return body
    if (fault.kind === 'cut') cutAnswer(reply, body)
    if (fault.kind === 'not_json') {
      void reply.type('text/html')
      return proxyPage
    }
    return JSON.stringify(corruptMembers(JSON.parse(body), fault.kind, request.query))
  }
}

/**
 * Uses up the oldest rule for this address among these kinds; undefined if there is none. Faults
 * that precede the response, a delay or a rejection, happen here.
 */
export async function takeFault(
  { database }: Context,
  surface: FaultSurface,
  caller: Caller,
  kinds: readonly ApiFault['kind'][] = faultsAt[surface],
) {
  if (!caller.hasFaults) return undefined
  const isFor = (one: ApiFaultRule) => one.surface === surface && kinds.includes(one.fault.kind)
  const [taken] = await apiFaults.take(database, [surface], isFor, 1)
  const fault = taken?.[0]?.fault
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

/** The faults with an effect on the result of a tool. */
export function faultsOfResult(result: object): readonly ApiFault['kind'][] {
  return 'nextCursor' in result ? ['unknown_member', ...ofPages] : ['unknown_member']
}

/** Adds wrong members to a response, or alters its members. `sent` are the request's parameters. */
export function corruptMembers(answer: object, kind: ApiFault['kind'], sent: unknown): object {
  if (kind === 'null_cursor') return { ...answer, nextCursor: null }
  if (kind === 'stuck_cursor') {
    return { ...answer, nextCursor: Object(sent).cursor ?? null, hasMore: true }
  }
  if (kind === 'other_contract') {
    return { ...answer, contractVersion: 'account-events/2099-01-01.v9' }
  }
  return kind === 'unknown_member' ? withUnknownMember(answer) : answer
}

function withUnknownMember(given: object) {
  const { data, event, ...answer }: Record<string, unknown> = { ...given }
  const add = (one: object) => ({ ...one, xUnknown: { added: 'by a fault rule' } })
  return {
    ...add(answer),
    ...(Array.isArray(data) && { data: data.map(add) }),
    ...(event !== undefined && { event: add(Object(event)) }),
  }
}

import type { Database } from '@feed-receiver/database'
import { z } from 'zod'
import { action, numbered, read } from '../server/action.ts'
import { found } from '../server/rejections.ts'
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

const everywhere = ['status', 'delay', 'cut', 'not_json', 'unknown_member'] as const
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

const apiFaults = ruleTable<ApiFaultRule>('api_fault', 'surface, fault', 200)

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

/** Takes the oldest rule for this address and counts it as used; undefined if there is none. */
export async function takeApiFault(database: Database, surface: FaultSurface) {
  const [taken] = await apiFaults.take(database, [surface], (one) => one.surface === surface, 1)
  return taken?.[0]?.fault
}

import type { Queryable } from '@feed-receiver/database'
import { z } from 'zod'
import { conflict, found } from '../server/refusals.ts'
import { ruleTimes } from './rules.ts'

/** The addresses of the API that can be told to do something wrong. */
export const faultSurfaces = ['events', 'account-events', 'account-event', 'mcp'] as const

export type FaultSurface = (typeof faultSurfaces)[number]

/** What can go wrong with an answer, for a client to prove itself against. */
export const apiFault = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('status'), status: z.literal([500, 503]) }),
  z.strictObject({ kind: z.literal('delay'), ms: z.int().min(1).max(60_000) }),
  z.strictObject({
    kind: z.enum([
      // The connection ends in the middle of the body.
      'cut',
      // A page of somebody else's, as proxies answer with 200.
      'not_json',
      // A member that nobody knows, in the answer and in each of its events (R12).
      'unknown_member',
      // nextCursor is null (R113).
      'null_cursor',
      // hasMore is true, and nextCursor is the one that was sent, or null (R120).
      'stuck_cursor',
      // A contract of account events that is not out yet (R135).
      'other_contract',
    ]),
  }),
])

export type ApiFault = z.infer<typeof apiFault>

const everywhere = ['status', 'delay', 'cut', 'not_json', 'unknown_member'] as const
const ofPages = ['null_cursor', 'stuck_cursor'] as const

/** Which faults change anything at which address: only pages have a cursor, and some a contract. */
export const faultsAt: Record<FaultSurface, readonly ApiFault['kind'][]> = {
  events: [...everywhere, ...ofPages],
  'account-events': [...everywhere, ...ofPages, 'other_contract'],
  'account-event': [...everywhere, 'other_contract'],
  mcp: [...everywhere, ...ofPages],
}

export const newApiFault = z
  .strictObject({ surface: z.enum(faultSurfaces), fault: apiFault, times: ruleTimes })
  .check(({ value, issues }) => {
    const { surface, fault } = value
    if (faultsAt[surface].includes(fault.kind)) return
    const message = `${fault.kind} does nothing to ${surface}; choose one of ${faultsAt[surface].join(', ')}`
    issues.push({ code: 'custom', path: ['fault'], message, input: value })
  })

export interface ApiFaultRule {
  id: number
  surface: FaultSurface
  fault: ApiFault
  /** For how many requests more; null for all. */
  timesLeft: number | null
}

/**
 * @throws Refusal `conflict` behind a rule that stands until it is removed, since the oldest goes first.
 */
export async function createApiFault(
  db: Queryable,
  { surface, fault, times }: z.infer<typeof newApiFault>,
): Promise<ApiFaultRule> {
  const always = (await listApiFaults(db)).find(
    (one) => one.surface === surface && one.timesLeft === null,
  )
  if (always) {
    throw conflict(
      `The rule ${always.id} takes every request to ${surface}, so that this one would never ` +
        `happen. Delete the rule ${always.id} first.`,
    )
  }
  const { rows } = await db.query<ApiFaultRule>(
    `insert into sandbox.api_fault (surface, fault, times_left) values ($1, $2, $3)
     returning ${columns}`,
    [surface, fault, times],
  )
  return found(rows[0], 'fault')
}

export async function listApiFaults(db: Queryable): Promise<ApiFaultRule[]> {
  const text = `select ${columns} from sandbox.api_fault order by id limit 200`
  return (await db.query<ApiFaultRule>(text)).rows
}

/** The oldest rule for this address, which is used once by that; undefined where there is none. */
export async function takeApiFault(
  db: Queryable,
  surface: FaultSurface,
): Promise<ApiFault | undefined> {
  const { rows } = await db.query<{ fault: ApiFault }>(
    `with oldest as (
       select id, fault, times_left from sandbox.api_fault
       where surface = $1 order by id limit 1 for update
     ),
     used as (
       update sandbox.api_fault rule set times_left = rule.times_left - 1
       from oldest where rule.id = oldest.id and oldest.times_left > 1
     ),
     spent as (
       delete from sandbox.api_fault rule using oldest
       where rule.id = oldest.id and oldest.times_left = 1
     )
     select fault from oldest`,
    [surface],
  )
  return rows[0]?.fault
}

const columns = 'id, surface, fault, times_left as "timesLeft"'

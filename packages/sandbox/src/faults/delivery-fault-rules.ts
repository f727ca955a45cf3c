import type { Database, Queryable } from '@feed-receiver/database'
import { z } from 'zod'
import { conflict, found, Refusal } from '../server/refusals.ts'
import { deliveryFaults, rowOf, type DeliveryFault } from './delivery-faults.ts'
import { deleteRule, ruleTimes } from './rules.ts'

const isFault = (text: string): text is DeliveryFault => Object.hasOwn(deliveryFaults, text)

export const newDeliveryFault = z
  .strictObject({
    fault: z.enum(Object.keys(deliveryFaults).filter(isFault)),
    destinationId: z
      .string()
      .regex(/^dst_[0-9a-f]{24}$/)
      .optional()
      .meta({ title: 'Destination', description: 'Left out, it is for every destination.' }),
    times: ruleTimes,
  })
  .refine(({ fault, times }) => times === undefined || !rowOf(fault).lasts, {
    path: ['times'],
    error: 'this fault lasts until it is removed, so leave it out',
  })

export type NewDeliveryFault = z.infer<typeof newDeliveryFault>

export interface DeliveryFaultRule {
  id: number
  fault: DeliveryFault
  /** Null for every destination. */
  destinationId: string | null
  /** Null for always. */
  timesLeft: number | null
}

const columns = 'id, fault, destination_id as "destinationId", times_left as "timesLeft"'

/**
 * @throws Refusal `bad_parameter` for a rule that could do nothing, `not_found` for the destination, or
 * `conflict` if another rule has the same happen always.
 */
export async function createDeliveryFault(
  { database, sendChat }: { database: Queryable; sendChat: boolean },
  { fault, destinationId, times }: NewDeliveryFault,
): Promise<DeliveryFaultRule> {
  if (destinationId !== undefined) {
    const { rows } = await database.query<{ kind: string }>(
      `select kind from sandbox.destination where id = $1 and state <> 'deleted'`,
      [destinationId],
    )
    checkFits(fault, found(rows[0], 'destination').kind, sendChat)
  }
  const always = (await listDeliveryFaults(database)).find(
    (rule) =>
      rule.fault === fault &&
      rule.timesLeft === null &&
      (rule.destinationId === null || rule.destinationId === destinationId),
  )
  if (always) {
    throw conflict(
      `The rule ${always.id} has ${fault} happen always. Delete the rule ${always.id} first.`,
    )
  }
  const { rows } = await database.query<DeliveryFaultRule>(
    `insert into sandbox.delivery_fault (destination_id, fault, times_left)
     select $1, $2, $3
     where $1::text is null
       or exists (select from sandbox.destination where id = $1 and state <> 'deleted')
     returning ${columns}`,
    [destinationId, fault, times],
  )
  return found(rows[0], 'destination')
}

/** A chat gets other attempts: unsigned ones, or none at all. */
function checkFits(fault: DeliveryFault, kind: string, sendChat: boolean): void {
  const { acts } = rowOf(fault)
  if (kind === 'signed' || acts === 'due' || (acts === 'answered' && sendChat)) return
  const why =
    acts === 'answered'
      ? 'whose messages are only shown here. Choose a signed destination, or start the sandbox with ' +
        'sendChat (--send-chat).'
      : 'whose messages are not signed. Choose a signed destination.'
  throw new Refusal('bad_parameter', { detail: `fault: ${fault} does nothing to a chat, ${why}` })
}

export async function listDeliveryFaults(db: Queryable): Promise<DeliveryFaultRule[]> {
  const text = `select ${columns} from sandbox.delivery_fault order by id limit 1000`
  return (await db.query<DeliveryFaultRule>(text)).rows
}

/** An attempt that may have faults. */
export interface FaultTarget {
  destinationId: string
  /** `signed`, or the name of a chat. */
  destinationKind: string
  /** Whether anything goes out at all: messages to chats may only be rendered. */
  isSent: boolean
}

/**
 * Gives every attempt the faults that it is to have, in the order given; the oldest rule goes first. A
 * fault that could do nothing to an attempt is neither given nor counted, and a spent rule is deleted.
 */
export async function takeDeliveryFaults(
  database: Database,
  deliveries: readonly FaultTarget[],
): Promise<DeliveryFault[][]> {
  const none = deliveries.map(() => [])
  if (deliveries.length === 0 || (await listDeliveryFaults(database)).length === 0) return none
  return await database.tx(async (tx) => {
    const { rows } = await tx.query<DeliveryFaultRule>(
      `select ${columns} from sandbox.delivery_fault order by id for update`,
    )
    const rules = rows.map((rule) => ({ ...rule, left: rule.timesLeft ?? Infinity }))
    const taken = deliveries.map((delivery) => {
      const given = rules.filter((rule) => rule.left > 0 && isFor(rule, delivery))
      for (const rule of given) rule.left -= 1
      return given.map(({ fault }) => fault)
    })
    for (const { id, timesLeft, left } of rules) {
      if (timesLeft === null || left === timesLeft) continue
      const useSql = 'update sandbox.delivery_fault set times_left = $2 where id = $1'
      await (left > 0 ? tx.query(useSql, [id, left]) : deleteRule(tx, 'delivery_fault', id))
    }
    return taken
  })
}

function isFor({ destinationId, fault }: DeliveryFaultRule, target: FaultTarget): boolean {
  const { acts } = rowOf(fault)
  const isOther = destinationId !== null && destinationId !== target.destinationId
  if (isOther || acts === 'due') return false
  return target.destinationKind === 'signed' || (target.isSent && acts === 'answered')
}

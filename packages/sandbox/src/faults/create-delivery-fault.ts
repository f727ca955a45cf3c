import type { Queryable } from '@feed-receiver/database'
import { z } from 'zod'
import { ruleTimes } from './rule-times.ts'
import { missing } from '../server/missing.ts'
import { Refusal } from '../server/refusals.ts'
import {
  beforeAttempts,
  deliveryFaults,
  lasting,
  listDeliveryFaults,
  ofAnswers,
  ruleColumns,
  type DeliveryFault,
  type DeliveryFaultRule,
} from './delivery-faults.ts'
import type { DestinationKind } from '../webhooks/chats/render-body.ts'
import type { WebhookContext } from '../webhooks/webhook-context.ts'

const faultNames = Object.keys(deliveryFaults).filter(isFault)

export const newDeliveryFault = z
  .strictObject({
    fault: z.enum(faultNames),
    /** Left out, it is for every destination. */
    destinationId: z
      .string()
      .regex(/^dst_[0-9a-f]{24}$/)
      .optional(),
    times: ruleTimes,
  })
  .refine(({ fault, times }) => times === undefined || !isAmong(lasting, fault), {
    path: ['times'],
    error: 'this fault lasts until it is removed, so leave it out',
  })

export type NewDeliveryFault = z.infer<typeof newDeliveryFault>

/**
 * @throws Refusal `bad_parameter` for a rule that could do nothing, `not_found` for the destination, or
 * `conflict` where another rule has the same happen always.
 */
export async function createDeliveryFault(
  { database, sendChat }: Pick<WebhookContext, 'database' | 'sendChat'>,
  { fault, destinationId, times }: NewDeliveryFault,
): Promise<DeliveryFaultRule> {
  if (destinationId !== undefined)
    checkFits(fault, await findKind(database, destinationId), sendChat)
  const always = (await listDeliveryFaults(database)).find(
    (rule) =>
      rule.fault === fault &&
      rule.timesLeft === null &&
      (rule.destinationId === null || rule.destinationId === destinationId),
  )
  if (always) {
    throw new Refusal('conflict', {
      detail: `The rule ${always.id} has ${fault} happen always. Delete the rule ${always.id} first.`,
    })
  }
  const { rows } = await database.query<DeliveryFaultRule>(
    `insert into sandbox.delivery_fault (destination_id, fault, times_left)
     select $1, $2, $3
     where $1::text is null
       or exists (select from sandbox.destination where id = $1 and state <> 'deleted')
     returning ${ruleColumns}`,
    [destinationId, fault, times],
  )
  const [made] = rows
  if (!made) throw missing('destination')
  return made
}

async function findKind(db: Queryable, id: string): Promise<DestinationKind> {
  const { rows } = await db.query<{ kind: DestinationKind }>(
    `select kind from sandbox.destination where id = $1 and state <> 'deleted'`,
    [id],
  )
  if (!rows[0]) throw missing('destination')
  return rows[0].kind
}

/** A chat gets other attempts: unsigned ones, or none at all. */
function checkFits(fault: DeliveryFault, kind: DestinationKind, sendChat: boolean): void {
  if (kind === 'signed' || isAmong(beforeAttempts, fault)) return
  if (isAmong(ofAnswers, fault) && sendChat) return
  const why = isAmong(ofAnswers, fault)
    ? 'whose messages are only shown here. Choose a signed destination, or start the sandbox with ' +
      'sendChat (--send-chat).'
    : 'whose messages are not signed. Choose a signed destination.'
  throw new Refusal('bad_parameter', { detail: `fault: ${fault} does nothing to a chat, ${why}` })
}

function isAmong(faults: readonly DeliveryFault[], fault: DeliveryFault): boolean {
  return faults.includes(fault)
}

function isFault(text: string): text is DeliveryFault {
  return Object.hasOwn(deliveryFaults, text)
}

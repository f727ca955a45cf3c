import type { Database, Queryable } from '@feed-receiver/database'
import { classify } from '@feed-receiver/sender'
import { faults } from '@feed-receiver/sender/testing'
import { z } from 'zod'
import { badParameter, found } from '../server/refusals.ts'
import json from './delivery-faults.json' with { type: 'json' }
import { ruleTable, ruleTimes, type FaultRule } from './rules.ts'

export interface DeliveryFaultKind {
  does: string
  /**
   * When it acts: when a delivery is created or due, on the request to a signed destination, or on
   * the response, which chats give too.
   */
  acts: 'due' | 'sent' | 'answered'
  /** It lasts as long as its rule, and cannot be counted. */
  lasts?: boolean
}

// Copied, so that no declaration file imports JSON: TypeScript in the user's app rejects that.
const texts = { ...json }

/** The faults of deliveries, by name. */
export const deliveryFaults = {
  duplicate: { does: texts.duplicate, acts: 'sent' },
  reorder: { does: texts.reorder, acts: 'due', lasts: true },
  lose_answer: { does: texts.lose_answer, acts: 'answered' },
  late: { does: faults.late, acts: 'sent' },
  future: { does: faults.future, acts: 'sent' },
  wrong_secret: { does: faults.wrong_secret, acts: 'sent' },
  truncated: { does: faults.truncated, acts: 'sent' },
  reserialised: { does: faults.reserialised, acts: 'sent' },
  bom: { does: faults.bom, acts: 'sent' },
  other_header_id: { does: faults.other_header_id, acts: 'sent' },
  schema_2: { does: faults.schema_2, acts: 'sent' },
  jitter: { does: texts.jitter, acts: 'answered', lasts: true },
  hold_paused: { does: texts.hold_paused, acts: 'due', lasts: true },
  end_unlisted: { does: texts.end_unlisted, acts: 'answered', lasts: true },
  send_corrections: { does: texts.send_corrections, acts: 'due', lasts: true },
  no_answer: { does: texts.no_answer, acts: 'answered' },
  answer_500: answers(500),
  answer_503: answers(503),
  answer_429: answers(429),
  answer_400: answers(400),
  answer_401: answers(401),
  answer_403: answers(403),
  answer_404: answers(404),
  answer_405: answers(405),
  answer_410: answers(410),
  answer_422: answers(422),
} satisfies Record<string, DeliveryFaultKind>

function answers(status: number): DeliveryFaultKind {
  const does = texts[classify(status).result === 'pause' ? 'answer_pausing' : 'answer_retried']
  return { does: does.replace('{status}', String(status)), acts: 'answered' }
}

/** The status that something in front of the app responds with; undefined if no fault does that. */
export function answeredInFront(given: readonly DeliveryFault[]): number | undefined {
  const fault = given.find((one) => one.startsWith('answer_'))
  return fault && Number(fault.slice('answer_'.length))
}

export type DeliveryFault = keyof typeof deliveryFaults

const rowOf: Record<DeliveryFault, DeliveryFaultKind> = deliveryFaults

const isFault = (text: string): text is DeliveryFault => Object.hasOwn(deliveryFaults, text)

export const newDeliveryFault = z
  .strictObject({
    fault: z.enum(Object.keys(deliveryFaults).filter(isFault)),
    destinationId: z
      .string()
      .regex(/^dst_[0-9a-f]{24}$/)
      .optional()
      .meta({ title: 'Destination', description: 'Applies to every destination if omitted.' }),
    times: ruleTimes,
  })
  .refine(({ fault, times }) => times === undefined || !rowOf[fault].lasts, {
    path: ['times'],
    error: 'this fault lasts until its rule is deleted, so leave it out',
  })

export type NewDeliveryFault = z.infer<typeof newDeliveryFault>

export interface DeliveryFaultRule extends FaultRule {
  fault: DeliveryFault
  /** Null for every destination. */
  destinationId: string | null
}

export const deliveryFaultRules = ruleTable<DeliveryFaultRule>(
  'delivery_fault',
  'fault, destination_id as "destinationId"',
  1000,
)

/**
 * @throws Refusal `bad_parameter` for a rule without an effect, `not_found` for the destination, or
 * `conflict` if another rule always applies the same fault.
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
  const insert = `
    (destination_id, fault, times_left)
    select $1, $2, $3
    where $1::text is null
      or exists (select from sandbox.destination where id = $1 and state <> 'deleted')`
  const rule = await deliveryFaultRules.add(database, insert, [destinationId, fault, times], {
    is: (one) =>
      one.fault === fault && (one.destinationId === null || one.destinationId === destinationId),
    does: `already applies ${fault} every time`,
  })
  return found(rule, 'destination')
}

/** Attempts to a chat differ: they are unsigned, or are not made at all. */
function isFit(acts: DeliveryFaultKind['acts'], kind: string, sendChat: boolean): boolean {
  return kind === 'signed' || acts === 'due' || (acts === 'answered' && sendChat)
}

function checkFits(fault: DeliveryFault, kind: string, sendChat: boolean): void {
  const { acts } = rowOf[fault]
  if (isFit(acts, kind, sendChat)) return
  throw badParameter(acts === 'answered' ? 'chat_only_shown' : 'chat_unsigned', { fault })
}

/**
 * Takes the faults of every attempt, in the order given, the oldest rule first. A fault without an
 * effect on an attempt is neither taken nor counted. A used-up rule is deleted.
 */
export async function takeDeliveryFaults(
  { database, sendChat }: { database: Database; sendChat: boolean },
  deliveries: readonly { destinationId: string; destinationKind: string }[],
): Promise<DeliveryFault[][]> {
  const taken = await deliveryFaultRules.take(database, deliveries, (rule, delivery) => {
    const { acts } = rowOf[rule.fault]
    const isItsOwn = [null, delivery.destinationId].includes(rule.destinationId)
    return isItsOwn && acts !== 'due' && isFit(acts, delivery.destinationKind, sendChat)
  })
  return taken.map((rules) => rules.map(({ fault }) => fault))
}

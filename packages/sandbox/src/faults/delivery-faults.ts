import type { Database } from '@feed-receiver/database'
import { classify } from '@feed-receiver/sender/internal'
import { faults } from '@feed-receiver/sender/testing'
import { z } from 'zod'
import { action, numbered, read } from '../server/action.ts'
import { badParameter, found } from '../server/rejections.ts'
import { destinationIdSchema } from '../state/fields.ts'
import { noFaults, ruleTable, ruleTimes, type FaultRule } from './rules.ts'

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

/** The faults of deliveries, by name. */
export const deliveryFaults = {
  duplicate: { does: 'every accepted attempt is made a second time', acts: 'sent' },
  reorder: {
    does: 'about half of the events are delayed by ten seconds, so that later ones overtake them',
    acts: 'due',
    lasts: true,
  },
  lose_answer: {
    does: 'an accepting answer counts as lost, so the event is delivered again',
    acts: 'answered',
  },
  late: { does: faults.late, acts: 'sent' },
  future: { does: faults.future, acts: 'sent' },
  wrong_secret: { does: faults.wrong_secret, acts: 'sent' },
  truncated: { does: faults.truncated, acts: 'sent' },
  reserialised: { does: faults.reserialised, acts: 'sent' },
  bom: { does: faults.bom, acts: 'sent' },
  other_header_id: { does: faults.other_header_id, acts: 'sent' },
  schema_2: { does: faults.schema_2, acts: 'sent' },
  jitter: { does: 'each backoff is up to 10 % longer', acts: 'answered', lasts: true },
  hold_paused: {
    does: 'deliveries due at a paused destination wait until it resumes, instead of being cancelled',
    acts: 'due',
    lasts: true,
  },
  end_unlisted: {
    does: 'an answer that is not 2xx, 429, 5xx or a pausing status ends the delivery immediately',
    acts: 'answered',
    lasts: true,
  },
  send_corrections: {
    does: 'corrections and retractions are delivered too, with the id of their event',
    acts: 'due',
    lasts: true,
  },
  no_answer: {
    does: 'no answer arrives within 10 seconds, so the delivery is retried; the app does not receive it',
    acts: 'answered',
  },
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
  const proxy = `a proxy in front of the app answers ${status}`
  const does =
    classify(status).result === 'pause'
      ? `${proxy}, which pauses the destination; the app does not receive the delivery`
      : `${proxy}, so the delivery is retried; the app does not receive it`
  return { does, acts: 'answered' }
}

/** The status that something in front of the app responds with; undefined if no fault does that. */
export function proxyStatus(given: readonly DeliveryFault[]): number | undefined {
  const fault = given.find((one) => one.startsWith('answer_'))
  return fault && Number(fault.slice('answer_'.length))
}

export type DeliveryFault = keyof typeof deliveryFaults

const rowOf: Record<DeliveryFault, DeliveryFaultKind> = deliveryFaults

const isFault = (text: string): text is DeliveryFault => Object.hasOwn(deliveryFaults, text)

export interface DeliveryFaultRule extends FaultRule {
  fault: DeliveryFault
  /** Null for every destination. */
  destinationId: string | null
}

const deliveryFaultRules = ruleTable<DeliveryFaultRule>(
  'delivery_fault',
  'fault, destination_id as "destinationId"',
)

export const listDeliveryFaults = read('Lists the fault rules of deliveries.', ({ database }) =>
  deliveryFaultRules.list(database),
)

export const createDeliveryFault = action(
  'Makes deliveries fail, `times` times or until the rule is deleted; rejects a rule without an effect.',
  z
    .strictObject({
      fault: z.enum(Object.keys(deliveryFaults).filter(isFault)),
      destinationId: destinationIdSchema.optional(),
      times: ruleTimes,
    })
    .refine(({ fault, times }) => times === undefined || !rowOf[fault].lasts, {
      path: ['times'],
      error:
        'this fault lasts until its rule is deleted, so it takes no number; create it on the page or without times',
    }),
  async ({ database, sendChat }, { fault, destinationId, times }) => {
    if (destinationId !== undefined) {
      const { rows } = await database.query<{ kind: string }>(
        `select kind from sandbox.destination where id = $1 and state <> 'deleted'`,
        [destinationId],
      )
      const why = noEffect(fault, found(rows[0], 'destination').kind, sendChat)
      if (why) throw badParameter(`fault: ${fault} has no effect on a chat, because ${why}`)
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
  },
  noFaults,
)

export const deleteDeliveryFault = action(
  'Deletes a fault rule of deliveries.',
  numbered,
  ({ database }, { id }) => deliveryFaultRules.delete(database, id),
)

/** Why a fault has no effect on attempts to this kind of destination; undefined if it has one. */
function noEffect(fault: DeliveryFault, kind: string, sendChat: boolean): string | undefined {
  const { acts } = rowOf[fault]
  if (kind === 'signed' || acts === 'due') return undefined
  if (acts === 'sent') return 'its messages are not signed. Choose a signed destination.'
  if (sendChat) return undefined
  return 'its messages are only shown here. Choose a signed destination, or start the sandbox with sendChat (--send-chat).'
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
    const { fault, destinationId } = rule
    const isItsOwn = [null, delivery.destinationId].includes(destinationId)
    const hasEffect = noEffect(fault, delivery.destinationKind, sendChat) === undefined
    return isItsOwn && rowOf[fault].acts !== 'due' && hasEffect
  })
  return taken.map((rules) => rules.map(({ fault }) => fault))
}

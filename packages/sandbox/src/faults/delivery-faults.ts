import type { Database, Queryable } from '@feed-receiver/database'
import type { DestinationKind } from '../webhooks/chats/render-body.ts'

/** What deliveries can be made to do wrong, by name, each with what it does. */
export const deliveryFaults = {
  duplicate: 'every attempt that is accepted is made a second time',
  reorder: 'about every other event is held back for ten seconds, so that later ones overtake it',
  lose_answer: 'an accepting answer counts as lost, so that the event comes again',
  late: 'signed 310 seconds ago',
  future: 'signed 310 seconds from now',
  wrong_secret: 'signed with a secret that nobody has',
  truncated: 'the second half of the body is lost after it was signed',
  reserialised: 'the body is written as JSON anew after it was signed',
  bom: 'the signed body begins with a byte order mark',
  other_header_id: 'Feed-Event-Id is not the id in the body',
  schema_2: 'schema_version is 2.0',
  jitter: 'each backoff is stretched by up to a tenth',
  hold_paused:
    'what is due at a paused destination waits for its return instead of being cancelled',
  end_unlisted: 'an answer that is neither success, pause, 429 nor 5xx ends the delivery at once',
  send_corrections: 'corrections and retractions are delivered too, with the id of the event',
} as const

export type DeliveryFault = keyof typeof deliveryFaults

/** Rules that hold for as long as they stand, and do not happen so or so often. */
export const lasting = [
  'reorder',
  'hold_paused',
  'send_corrections',
  'jitter',
  'end_unlisted',
] as const

/** These act where a delivery is made or is due, and not in an attempt. */
export const beforeAttempts = ['reorder', 'hold_paused', 'send_corrections'] as const

/** These act upon the answer, so that they are for chats too; the others change what is signed. */
export const ofAnswers = ['lose_answer', 'jitter', 'end_unlisted'] as const

/** What an attempt is made at. */
export interface FaultTarget {
  destinationId: string
  destinationKind: DestinationKind
  /** Whether anything goes out at all: messages to chats may only be rendered. */
  isSent: boolean
}

export interface DeliveryFaultRule {
  id: number
  fault: DeliveryFault
  /** Null for every destination. */
  destinationId: string | null
  /** Null for always. */
  timesLeft: number | null
}

export async function listDeliveryFaults(db: Queryable): Promise<DeliveryFaultRule[]> {
  const text = `select ${ruleColumns} from sandbox.delivery_fault order by id limit 1000`
  return (await db.query<DeliveryFaultRule>(text)).rows
}

/** @returns whether there was one. */
export async function deleteDeliveryFault(db: Queryable, id: number): Promise<boolean> {
  const { rowCount } = await db.query('delete from sandbox.delivery_fault where id = $1', [id])
  return rowCount > 0
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
      `select ${ruleColumns} from sandbox.delivery_fault order by id for update`,
    )
    const left = new Map(rows.map(({ id, timesLeft }) => [id, timesLeft ?? Infinity]))
    const taken = deliveries.map((delivery) =>
      rows.filter((rule) => isFor(rule, delivery) && take(left, rule.id)).map(nameOf),
    )
    const used = rows.filter(
      ({ id, timesLeft }) => timesLeft !== null && left.get(id) !== timesLeft,
    )
    for (const { id } of used) await keepTimesLeft(tx, id, left.get(id) ?? 0)
    return taken
  })
}

export const ruleColumns = 'id, fault, destination_id as "destinationId", times_left as "timesLeft"'

function isFor({ destinationId, fault }: DeliveryFaultRule, target: FaultTarget): boolean {
  const isOther = destinationId !== null && destinationId !== target.destinationId
  if (isOther || beforeAttempts.some((name) => name === fault)) return false
  if (target.destinationKind === 'signed') return true
  return target.isSent && ofAnswers.some((name) => name === fault)
}

function take(left: Map<number, number>, id: number): boolean {
  const times = left.get(id) ?? 0
  left.set(id, Math.max(0, times - 1))
  return times > 0
}

async function keepTimesLeft(tx: Queryable, id: number, timesLeft: number): Promise<void> {
  if (timesLeft === 0) {
    await deleteDeliveryFault(tx, id)
    return
  }
  const text = 'update sandbox.delivery_fault set times_left = $2 where id = $1'
  await tx.query(text, [id, timesLeft])
}

function nameOf({ fault }: DeliveryFaultRule): DeliveryFault {
  return fault
}

import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import type { Context } from '../server/context.ts'
import { layOver } from '../state/published-event.ts'
import { drawAccountEvent } from '../seed/draw-account-event.ts'
import { seededRandom } from '../seed/random.ts'
import { missing, Refusal } from '../server/refusals.ts'
import {
  makeReference,
  serviceAccountEvent,
  type ServiceAccountEvent,
} from '../state/account-event-schema.ts'
import {
  insertAccountEvents,
  lockAccountEvent,
  replaceAccountEvent,
} from './account-event-table.ts'

/** What a private event is to have; its references and its state follow from what is done to it. */
export const accountEventDraft = serviceAccountEvent
  .pick({
    type: true,
    title: true,
    summary: true,
    immediateEligible: true,
    digestEligible: true,
    data: true,
  })
  .partial()
  .strict()

export type AccountEventDraft = z.infer<typeof accountEventDraft>

export const accountEventChange = z.strictObject({
  to: z.enum(['correct', 'retract']),
  eventRef: serviceAccountEvent.shape.eventRef,
  content: accountEventDraft
    .omit({ type: true })
    .optional()
    .describe('The newer content of a correction.'),
})

export type AccountEventChange = z.infer<typeof accountEventChange>

/** Adds a private event now. @throws Refusal `not_found` where there is no such account. */
export async function composeAccountEvent(
  { database, clock, referenceKey }: Context,
  accountId: string,
  { type, ...draft }: AccountEventDraft,
): Promise<ServiceAccountEvent> {
  const random = seededRandom(randomUUID())
  const at = await clock.now()
  const drawn = drawAccountEvent(random, { key: referenceKey, accountId, at, type })
  const event = layOver(drawn, draft)
  if (await insertAccountEvents(database, accountId, [event])) return event
  throw missing('account')
}

/**
 * Retracts a private event, or corrects it by another one that names it. Gives the newer one.
 *
 * @throws Refusal `not_found`, or `conflict` where it is corrected or retracted already.
 */
export async function changeAccountEvent(
  { database, clock, referenceKey }: Context,
  { to, eventRef, content = {} }: AccountEventChange,
): Promise<ServiceAccountEvent> {
  const at = await clock.now()
  return await database.tx(async (tx) => {
    const found = await lockAccountEvent(tx, eventRef)
    if (!found) throw missing('account_event')
    const { accountId, event } = found
    if (event.integrityState !== 'active') {
      throw new Refusal('conflict', {
        detail: `The event is ${event.integrityState} already. Change the newest one instead.`,
      })
    }
    if (to === 'retract') {
      const retracted: ServiceAccountEvent = { ...event, integrityState: 'retracted' }
      await replaceAccountEvent(tx, retracted)
      return retracted
    }
    const correction: ServiceAccountEvent = {
      ...layOver(event, content),
      type: event.type,
      eventRef: makeReference(referenceKey, 'event', accountId, randomUUID()),
      occurredAt: at.toISOString(),
      correctionOfEventRef: eventRef,
    }
    await replaceAccountEvent(tx, { ...event, integrityState: 'corrected' })
    await insertAccountEvents(tx, accountId, [correction])
    return correction
  })
}

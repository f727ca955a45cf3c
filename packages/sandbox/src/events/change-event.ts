import { z } from 'zod'
import type { Context } from '../server/context.ts'
import { confirmed, corrected, retracted, type FeedChange } from '../state/published-event.ts'
import { eventContent, serviceEvent, type ServiceEvent } from '../state/event-schema.ts'
import { findEvent } from './find-events.ts'
import { lockFeed, publishEvents } from './publish-event.ts'
import { missing, Refusal } from '../server/refusals.ts'
import { parseInput } from '../server/parse-input.ts'

const { id } = serviceEvent.shape

export const eventChange = z.discriminatedUnion('to', [
  z.strictObject({ to: z.enum(['confirm', 'retract']), id }),
  z.strictObject({ to: z.literal('correct'), id, content: eventContent }),
])

export type EventChange = z.infer<typeof eventChange>

/**
 * Confirms, corrects or retracts an event.
 *
 * @throws Refusal `not_found`, `bad_parameter`, or `conflict` where it is confirmed or retracted already.
 */
export async function changeEvent(context: Context, change: EventChange): Promise<ServiceEvent> {
  const at = await context.clock.now()
  return await context.database.tx(async (tx) => {
    await lockFeed(tx)
    const before = await findEvent(tx, change.id)
    if (!before) throw missing('event')
    const [made, done] = apply(before, change, at)
    const event = parseInput(serviceEvent, made)
    await publishEvents(tx, context, [{ event, change: done }])
    return event
  })
}

function apply(before: ServiceEvent, change: EventChange, at: Date): [ServiceEvent, FeedChange] {
  if (before.retractedAt)
    throw conflict('The event was retracted already. That is final: publish another one.')
  if (change.to === 'retract') return [retracted(before, at), 'retracted']
  if (change.to === 'correct') return [corrected(before, change.content, at), 'corrected']
  if (before.confirmationState === 'confirmed')
    throw conflict('The event is confirmed already. Correct or retract it, or leave it.')
  return [confirmed(before), 'confirmed']
}

function conflict(detail: string): Refusal {
  return new Refusal('conflict', { detail })
}

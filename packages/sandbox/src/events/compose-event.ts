import { randomUUID } from 'node:crypto'
import type { z } from 'zod'
import type { Context } from '../server/context.ts'
import { serviceEvent, type ServiceEvent } from '../state/event-schema.ts'
import { findEvent, findOpenStep } from './find-events.ts'
import { layOver } from '../state/published-event.ts'
import { lockFeed, publishEvents } from './publish-event.ts'
import { drawEvent } from '../seed/draw-event.ts'
import { drawNextStep, drawOutage, type OutageType } from '../seed/draw-incident.ts'
import type { Provider } from '../seed/draw-content.ts'
import providers from '../seed/providers.json' with { type: 'json' }
import { seededRandom, type Random } from '../seed/random.ts'
import { parseInput } from '../server/parse-input.ts'
import { Refusal } from '../server/refusals.ts'

/** What an event is to have; the rest is made up to fit its type. */
export const eventDraft = serviceEvent.partial().strict()

export type EventDraft = z.infer<typeof eventDraft>

/**
 * Publishes an event now, by the sandbox's clock. An outage_updated or outage_resolved goes on with the
 * provider's newest open incident, and begins one where there is none.
 *
 * @throws Refusal `conflict` where there is an event of this id, `bad_parameter` where it is none.
 */
export async function composeEvent(
  context: Context,
  draft: EventDraft,
  random: Random = seededRandom(randomUUID()),
): Promise<ServiceEvent> {
  const at = await context.clock.now()
  return await context.database.tx(async (tx) => {
    // Before anything is read, so that two steps of an incident cannot have one place in it.
    await lockFeed(tx)
    if (draft.eventType === 'destination_test') {
      const detail = 'A destination_test is delivered to a destination, and never in the feed.'
      throw new Refusal('bad_parameter', { detail })
    }
    if (draft.id !== undefined && (await findEvent(tx, draft.id))) {
      throw new Refusal('conflict', { detail: 'There is an event of this id already.' })
    }
    const type = draft.eventType ?? 'release_note'
    const provider = findProvider(draft.providerSlug) ?? random.pick(providers)
    const slug = draft.providerSlug ?? provider.slug
    const made = isOutage(type)
      ? drawStep(random, type, at, provider, await findOpenStep(tx, slug))
      : drawEvent(random, { type, provider, at })
    const whole = layOver<ServiceEvent>({ ...made, confirmationState: 'confirmed' }, draft)
    const event = parseInput(serviceEvent, fit(whole))
    await publishEvents(tx, context, [{ event, change: 'observed' }])
    return event
  })
}

function drawStep(
  random: Random,
  type: OutageType,
  at: Date,
  provider: Provider,
  open: ServiceEvent | undefined,
): ServiceEvent {
  if (type !== 'outage_started' && open) return drawNextStep(random, open, { type, at })
  const root = drawOutage(random, { provider, at })
  if (type === 'outage_started' || !root.incident) return root
  // A thread of which nobody saw the beginning begins with what was seen.
  const step = drawNextStep(random, root, { type, at })
  return { ...step, incident: { ...root.incident, ...step.incident, sequence: 1 } }
}

/** Makes what hangs together agree with what the draft has put in place. */
function fit(event: ServiceEvent): ServiceEvent {
  const { incident } = event
  if (!incident || incident.sequence > 1) return event
  const { id, title, summary = null, sourceUrl, firstObservedAt } = event
  const root = { id, title, summary, sourceUrl, firstObservedAt }
  return { ...event, incident: { ...incident, rootEventId: id, root } }
}

function findProvider(slug: string | undefined): Provider | undefined {
  return providers.find((provider) => provider.slug === slug)
}

function isOutage(type: string): type is OutageType {
  return ['outage_started', 'outage_updated', 'outage_resolved'].includes(type)
}

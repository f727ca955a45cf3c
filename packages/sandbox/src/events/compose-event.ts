import { randomBytes, randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { knownTypes } from '@feed-receiver/core/internal'
import { z } from 'zod'
import { clockTime } from '../clock.ts'
import { findOpenStep, selectEvent } from './find-events.ts'
import { lockFeed, publishEvents } from './publish-event.ts'
import { drawableTypes, drawEvent, type Provider } from '../seed/draw-event.ts'
import { drawNextStep, drawOutage, type OutageType } from '../seed/draw-history.ts'
import { seededRandom, type Random } from '../seed/random.ts'
import { action } from '../server/action.ts'
import type { Context } from '../server/context.ts'
import { badParameter, conflict, found, parseInput } from '../server/rejections.ts'
import {
  serviceEvent,
  type ServiceEvent,
  eventContent,
  applyChange,
  assignDefined,
} from '../state/service-event.ts'
import providers from '../seed/providers.json' with { type: 'json' }

/** The types and providers of events that the sandbox makes up; others can be published, too. */
export const eventTypes = knownTypes.filter((type) => type !== 'destination_test')
export const providerSlugs = providers.map(({ slug }) => slug)

const eventDraft = serviceEvent.partial().strict()

export const composeEvent = action(
  'Publishes an event now; missing members are generated.',
  eventDraft,
  (context, draft) => publishDraft(context, draft, seededRandom(randomUUID())),
)

/**
 * An outage_updated or outage_resolved continues the provider's newest open incident, or begins one
 * if there is none.
 */
async function publishDraft(context: Context, draft: z.infer<typeof eventDraft>, random: Random) {
  const at = await clockTime(context.database)
  return await context.database.tx(async (tx) => {
    // Lock before reading, so that two steps of an incident cannot take the same number in it.
    await lockFeed(tx)
    if (draft.eventType === 'destination_test') {
      throw badParameter(
        'A destination_test never appears in the feed. Test a destination to send one.',
      )
    }
    if (draft.id !== undefined && (await selectEvent(tx, draft.id))) {
      throw conflict('An event with this id already exists. Choose another id.')
    }
    const type = draft.eventType ?? 'release_note'
    const known = providers.find((one) => one.slug === draft.providerSlug)
    const provider = known ?? random.pick(providers)
    const slug = draft.providerSlug ?? provider.slug
    const made = isOutage(type)
      ? drawStep(random, type, at, provider, await findOpenStep(tx, slug))
      : drawEvent(random, { type, provider, at })
    // Not a drawn one, of which a day of ticks would repeat some: the generator has 32 bits.
    const id = `evt_${randomBytes(12).toString('hex')}`
    const drawn: ServiceEvent = { ...made, id, confirmationState: 'confirmed' }
    const whole = assignDefined(drawn, draft)
    const event = parseInput(serviceEvent, alignIncident(whole))
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
  // A thread without a known beginning begins with its first known event.
  const step = drawNextStep(random, root, { type, at })
  return { ...step, incident: { ...root.incident, ...step.incident, sequence: 1 } }
}

/**
 * Makes the first step of an incident describe itself as its root. The timeline stays out, because
 * only the details of an event have one.
 */
function alignIncident(event: ServiceEvent): ServiceEvent {
  if (!event.incident) return event
  const { timeline: _steps, timelineTruncated: _isCut, ...incident } = event.incident
  if (incident.sequence > 1) return { ...event, incident }
  const { id, title, summary = null, sourceUrl, firstObservedAt } = event
  const root = { id, title, summary, sourceUrl, firstObservedAt }
  return { ...event, incident: { ...incident, rootEventId: id, root } }
}

function isOutage(type: string): type is OutageType {
  return ['outage_started', 'outage_updated', 'outage_resolved'].includes(type)
}

/** Publishes an event at this interval until the signal aborts. */
export async function keepTicking(
  context: Context,
  intervalSeconds: number,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    await delay(intervalSeconds * 1000, undefined, { signal }).catch(() => undefined)
    if (!signal.aborted) await tick(context).catch(context.onError)
  }
}

/**
 * Publishes an event. It does not follow from the seed: an app that has stored the ids of an earlier
 * run would quarantine other events with them.
 */
async function tick(context: Context): Promise<void> {
  const random = seededRandom(randomUUID())
  const provider = random.pick(providers)
  const isOpen = await findOpenStep(context.database, provider.slug)
  const outage = isOpen ? random.pick(['outage_updated', 'outage_resolved']) : 'outage_started'
  const type = random.chance(0.2) ? outage : random.pick(drawableTypes)
  await publishDraft(context, { providerSlug: provider.slug, eventType: type }, random)
}

const eventChange = z.discriminatedUnion('to', [
  z.strictObject({ to: z.enum(['confirm', 'retract']), id: serviceEvent.shape.id }),
  z.strictObject({ to: z.literal('correct'), id: serviceEvent.shape.id, content: eventContent }),
])

export const changeEvent = action(
  'Confirms, corrects or retracts an event.',
  eventChange,
  async (context, change) => {
    const at = await clockTime(context.database)
    return await context.database.tx(async (tx) => {
      await lockFeed(tx)
      const before = found(await selectEvent(tx, change.id), 'event')
      if (before.retractedAt) {
        throw conflict(
          'The event is already retracted, and a retraction is final. Publish another event.',
        )
      }
      if (change.to === 'confirm' && before.confirmationState === 'confirmed') {
        throw conflict('The event is already confirmed. Correct or retract it instead.')
      }
      const content = change.to === 'correct' ? change.content : {}
      const made = applyChange(before, changes[change.to], at, content)
      const event = parseInput(serviceEvent, alignIncident(made.event))
      await publishEvents(tx, context, [{ ...made, event }])
      return event
    })
  },
)

const changes = { confirm: 'confirmed', correct: 'corrected', retract: 'retracted' } as const

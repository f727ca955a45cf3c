import {
  drawableTypes,
  drawEvent,
  drawSourceTimes,
  omitSomeEmpty,
  toKey,
  type Provider,
} from './draw-event.ts'
import type { Random } from './random.ts'
import { applyChange, type ServiceEvent, type PublishedEvent } from '../state/service-event.ts'
import providers from './providers.json' with { type: 'json' }

const hourMs = 3_600_000

/**
 * Draws the days before `end`: every type at least once, incidents of several steps, and events
 * that were confirmed, corrected or retracted later. Sorted by the time of each change.
 */
export function drawHistory(
  random: Random,
  { end, days }: { end: Date; days: number },
): PublishedEvent[] {
  const start = end.getTime() - days * 24 * hourMs
  const within = () => new Date(start + Math.floor(random.next() * (end.getTime() - start)))
  const types = Array.from(
    { length: Math.max(drawableTypes.length, days * 7) },
    (_, at) => drawableTypes[at] ?? random.pick(drawableTypes),
  )
  const single = types.flatMap((type) =>
    withChange(random, drawEvent(random, { type, at: within() })),
  )
  const outages = Array.from({ length: Math.max(2, Math.ceil(days / 4)) }, within)
  const steps = outages.flatMap((at, place) => drawSteps(random, at, place % 2 === 0))
  return [...single, ...steps]
    .filter(({ at }) => at <= end)
    .toSorted((a, b) => a.at.getTime() - b.at.getTime() || (a.event.id < b.event.id ? -1 : 1))
}

type HistoryEvent = Required<PublishedEvent>

/** An event, in some cases with a later change. */
function withChange(random: Random, event: ServiceEvent): HistoryEvent[] {
  const at = new Date(event.firstObservedAt)
  const later = new Date(at.getTime() + random.whole(1, 20) * hourMs)
  const observed: HistoryEvent = { event, change: 'observed', at }
  if (event.confirmationState === 'unconfirmed' && random.chance(0.5)) {
    return [observed, applyChange(event, 'confirmed', later)]
  }
  if (random.chance(0.05)) {
    const title = `${event.title} (corrected)`
    return [observed, applyChange(event, 'corrected', later, { title })]
  }
  return random.chance(0.03) ? [observed, applyChange(event, 'retracted', later)] : [observed]
}

type OutageStep = 'outage_updated' | 'context'

function drawSteps(random: Random, start: Date, hasContext: boolean): HistoryEvent[] {
  let last = drawOutage(random, { at: start })
  let at = start
  const steps: HistoryEvent[] = [{ event: last, change: 'observed', at }]
  const types = Array.from({ length: random.whole(1, 4) }, (): OutageStep => 'outage_updated')
  if (hasContext) types.splice(1, 0, 'context')
  for (const type of [...types, 'outage_resolved' as const]) {
    at = new Date(at.getTime() + random.whole(5, 90) * 60_000)
    last =
      type === 'context' ? drawContext(random, last, at) : drawNextStep(random, last, { type, at })
    steps.push({ event: last, change: 'observed', at })
  }
  return steps
}

export type OutageType = 'outage_started' | 'outage_updated' | 'outage_resolved'

/** Draws the first step of an outage, which is the root of its thread. */
export function drawOutage(
  random: Random,
  { provider = random.pick(providers), at }: { provider?: Provider; at: Date },
): ServiceEvent {
  const service = random.pick(provider.services)
  const id = random.id('evt_')
  const thread = random.id('inc_')
  const title = `${service}: ${random.pick(['elevated error rates', 'high latency', 'unavailable'])}`
  const summary = `${provider.name} investigates failing requests to the ${service}.`
  const sourceUrl = `https://${provider.site}/status/incidents/${thread.slice(4, 16)}`
  const time = at.toISOString()
  return omitSomeEmpty(random, {
    id,
    providerSlug: provider.slug,
    eventType: 'outage_started',
    category: 'outages',
    subjectType: 'service',
    subjectKey: `${provider.slug}/${toKey(service)}`,
    title,
    summary,
    // The link to the provider's own incident.
    sourceUrl,
    evidenceState: 'official_publication',
    confirmationState: 'confirmed',
    firstObservedAt: time,
    ...drawSourceTimes(random, at),
    incident: {
      id: thread,
      // Present only if the provider's own page shows it.
      ...(random.chance(0.5) && { sourceIncidentId: thread.slice(4, 16) }),
      rootEventId: id,
      phase: 'started',
      sequence: 1,
      receiptCount: 1,
      status: 'investigating',
      startedAt: time,
      updatedAt: null,
      resolvedAt: null,
      root: { id, title, summary, sourceUrl, firstObservedAt: time },
    },
  })
}

/** Draws the step after `last` in its thread: a separate event with its own id. */
export function drawNextStep(
  random: Random,
  last: ServiceEvent,
  { type, at }: { type: OutageType; at: Date },
): ServiceEvent {
  const { incident, ...event } = last
  if (!incident) throw new Error(`The event ${last.id} is not a step of an incident.`)
  const time = at.toISOString()
  const isResolved = type === 'outage_resolved'
  const status = isResolved ? 'resolved' : random.pick(['identified', 'monitoring'])
  return omitSomeEmpty(random, {
    ...event,
    id: random.id('evt_'),
    eventType: type,
    title: `${incident.root.title} (${status})`,
    summary: isResolved ? 'Requests succeed again.' : `The cause is ${status}.`,
    firstObservedAt: time,
    correctedAt: null,
    retractedAt: null,
    ...drawSourceTimes(random, at),
    incident: {
      ...incident,
      phase: isResolved ? 'resolved' : 'updated',
      sequence: incident.sequence + 1,
      receiptCount: incident.receiptCount + random.whole(1, 2),
      status,
      updatedAt: time,
      resolvedAt: isResolved ? time : null,
    },
  })
}

/** Draws an event that explains an outage and is no step towards its end. */
function drawContext(random: Random, last: ServiceEvent, at: Date): ServiceEvent {
  const step = drawNextStep(random, last, { type: 'outage_updated', at })
  const { incident } = last
  if (!incident || !step.incident) return step
  const { status, updatedAt, resolvedAt } = incident
  return {
    ...step,
    title: `${incident.root.title} (background)`,
    summary: 'How requests are spread over regions, and what that has to do with it.',
    incident: { ...step.incident, phase: 'context', status, updatedAt, resolvedAt },
  }
}

import type { ServiceEvent } from '../state/event-schema.ts'
import { drawSourceTimes, leaveOutSome, toKey, type Provider } from './draw-event.ts'
import providers from './providers.json' with { type: 'json' }
import type { Random } from './random.ts'

export type OutageType = 'outage_started' | 'outage_updated' | 'outage_resolved'

/** The first step of an outage, which is the root of its thread. */
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
  return leaveOutSome(random, {
    id,
    providerSlug: provider.slug,
    eventType: 'outage_started',
    category: 'outages',
    subjectType: 'service',
    subjectKey: `${provider.slug}/${toKey(service)}`,
    title,
    summary,
    // The first-party incident (R211).
    sourceUrl,
    evidenceState: 'official_publication',
    confirmationState: 'confirmed',
    firstObservedAt: time,
    ...drawSourceTimes(random, at),
    incident: {
      id: thread,
      // Only where the provider's own page says it anyway (R40).
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

/** The step after `last` in its thread: an event of its own, with its own id (R94). */
export function drawNextStep(
  random: Random,
  last: ServiceEvent,
  { type, at }: { type: OutageType; at: Date },
): ServiceEvent {
  const { incident, ...event } = last
  if (!incident) throw new Error(`The event ${last.id} is no step of an incident.`)
  const time = at.toISOString()
  const isResolved = type === 'outage_resolved'
  const status = isResolved ? 'resolved' : random.pick(['identified', 'monitoring'])
  return leaveOutSome(random, {
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

/** What explains an outage, and is no step towards its end. */
export function drawContext(random: Random, last: ServiceEvent, at: Date): ServiceEvent {
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

import type { FeedEvent } from '@feed-receiver/core'

/** One event of an incident. */
export interface Step {
  eventId: string
  phase: 'started' | 'updated' | 'resolved'
  title: string
  summary: string | null
  sourceUrl: string
  /** In ISO 8601, in UTC. */
  observedAt: string
  isConfirmed: boolean
  isRetracted: boolean
}

export interface Incident {
  /** The id of its first event. */
  id: string
  provider: string
  subject: string
  /** The chat message that begins the thread, and the event that it was posted for. */
  thread: { id: string; eventId: string } | null
  /** In the order in which the service observed them. */
  steps: Step[]
}

/** Only confirmed events open or resolve an incident. */
export type State = 'open' | 'resolved' | 'early_signal' | 'retracted'

export function stepOf({ id, type, created_at, data, pull }: FeedEvent): Step {
  return {
    eventId: id,
    phase: phaseOf(type),
    title: storable(data.title),
    summary: data.summary === null ? null : storable(data.summary),
    sourceUrl: storable(data.source_url),
    observedAt: new Date(created_at).toISOString(),
    isConfirmed: data.confirmation === 'confirmed',
    isRetracted: (pull?.retractedAt ?? null) !== null,
  }
}

function phaseOf(type: FeedEvent['type']): Step['phase'] {
  if (type === 'outage_started') return 'started'
  return type === 'outage_resolved' ? 'resolved' : 'updated'
}

/** PostgreSQL stores no zero byte and no half of a character. */
function storable(text: string): string {
  return text.replaceAll(/[\0\p{Cs}]/gu, '')
}

export function newIncident(event: FeedEvent): Incident {
  return {
    id: rootOf(event) ?? event.id,
    provider: event.data.provider,
    subject: subjectOf(event),
    thread: null,
    steps: [],
  }
}

/** The first event of the incident, which only the pull API names. */
export function rootOf({ pull }: FeedEvent): string | null {
  return pull?.incident?.rootEventId ?? null
}

export function subjectOf({ data: { provider, subject } }: FeedEvent): string {
  return JSON.stringify([provider, subject.type, subject.key])
}

/** Adds a step, or replaces an earlier version of it. Steps may arrive in any order. */
export function withStep(incident: Incident, step: Step): Incident {
  const others = incident.steps.filter(({ eventId }) => eventId !== step.eventId)
  const steps = [...others, step].toSorted(
    (a, b) => Date.parse(a.observedAt) - Date.parse(b.observedAt),
  )
  return { ...incident, steps }
}

export function stateOf({ steps }: Incident): State {
  const valid = steps.filter(({ isRetracted }) => !isRetracted)
  if (valid.length === 0) return 'retracted'
  const latest = valid.findLast(({ isConfirmed }) => isConfirmed)
  if (!latest) return 'early_signal'
  return latest.phase === 'resolved' ? 'resolved' : 'open'
}

/** The step whose title is that of the incident. */
export function firstOf({ id, steps }: Incident): Step {
  const first = steps.find(({ phase }) => phase === 'started') ?? steps[0]
  if (!first) throw new Error(`The incident ${id} has no steps.`)
  return first
}

/** The latest step that still holds. */
export function latestOf(incident: Incident): Step {
  return incident.steps.findLast(({ isRetracted }) => !isRetracted) ?? firstOf(incident)
}

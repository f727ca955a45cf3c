import type { FeedEvent } from '@feed-receiver/core'

export type Phase = 'started' | 'updated' | 'resolved'

/** One event of an incident. */
export interface Step {
  eventId: string
  phase: Phase
  title: string
  summary: string | null
  sourceUrl: string
  /** In ISO 8601, in UTC. */
  observedAt: string
  isConfirmed: boolean
  isRetracted: boolean
  /** Whether it has a message, which a retraction edits. */
  hasMessage: boolean
}

export interface Incident {
  /** The id of its first event. */
  id: string
  provider: string
  subject: string
  /** The id of the chat message that begins its thread. */
  thread: string | null
  /** In the order in which the service observed them. */
  steps: Step[]
}

export type State = 'open' | 'resolved' | 'early_signal' | 'retracted'

export function stepOf({ id, created_at, data, pull }: FeedEvent, phase: Phase): Step {
  return {
    eventId: id,
    phase,
    title: storable(data.title),
    summary: data.summary === null ? null : storable(data.summary),
    sourceUrl: storable(data.source_url),
    observedAt: new Date(created_at).toISOString(),
    isConfirmed: data.confirmation === 'confirmed',
    isRetracted: Boolean(pull?.retractedAt),
    hasMessage: false,
  }
}

/** PostgreSQL stores no zero byte and no half of a character. */
export function storable(text: string): string {
  return text.replace(/[\0\p{Cs}]/gu, '')
}

/** The order of steps that the service observed at once. */
const phases: Phase[] = ['started', 'updated', 'resolved']

/** Adds a step, or replaces an earlier version of it. Steps may arrive in any order. */
export function withStep(incident: Incident, step: Step): Incident {
  const steps = [...incident.steps.filter(({ eventId }) => eventId !== step.eventId), step]
  steps.sort(
    (a, b) =>
      Date.parse(a.observedAt) - Date.parse(b.observedAt) ||
      phases.indexOf(a.phase) - phases.indexOf(b.phase),
  )
  return { ...incident, steps }
}

interface Summary {
  state: State
  /** Null unless the state is `resolved`. */
  resolvedAt: string | null
  first: Step
  latest: Step
}

/** What is known: by confirmed steps, or else by early signals, or else by retracted ones. */
export function summaryOf({ id, steps }: Incident): Summary {
  const valid = steps.filter(({ isRetracted }) => !isRetracted)
  const confirmed = valid.filter(({ isConfirmed }) => isConfirmed)
  const counting = [confirmed, valid, steps].find(({ length }) => length > 0) ?? []
  const first = counting.find(({ phase }) => phase === 'started') ?? counting[0]
  const latest = counting[counting.length - 1]
  if (!first || !latest) throw new Error(`The incident ${id} has no steps.`)
  // An update after the end, such as an explanation, does not reopen the outage.
  const deciding = counting.filter(({ phase }) => phase !== 'updated').pop() ?? latest
  const state = stateOf(deciding)
  return { state, resolvedAt: state === 'resolved' ? deciding.observedAt : null, first, latest }
}

/** The state after a step. Only confirmed ones open or resolve an incident. */
export function stateOf({ phase, isConfirmed, isRetracted }: Step): State {
  if (isRetracted) return 'retracted'
  if (!isConfirmed) return 'early_signal'
  return phase === 'resolved' ? 'resolved' : 'open'
}

import type { Queryable } from '@feed-receiver/database'
import { z } from 'zod'
import { conditionsOf, type EventFilter } from '../events/list-events.ts'
import { serviceEvent, type ServiceEvent } from '../state/service-event.ts'
import { dateTime } from '../state/fields.ts'
import catalogue from './catalogue.json' with { type: 'json' }

type LifecycleState = 'listed' | 'released' | 'deprecated' | 'removed'

/** The event types that state a step in a model's lifecycle, with that step. */
const states = new Map<string, LifecycleState>([
  ['api_model_listed', 'listed'],
  ['model_release', 'released'],
  // The sandbox's own type. The documented types are an open set.
  ['model_deprecated', 'deprecated'],
  ['model_removed', 'removed'],
])

/** Facts with structured evidence; empty if there is none. */
export const lifecycleEvidence = {
  effectiveAt: dateTime.optional(),
  daysRemaining: z.int().min(0).optional().describe('Days until effectiveAt, rounded up.'),
  replacementIds: z.array(z.string()).optional(),
}

/** The id of the model that an event is about: its key without the provider. */
export function modelIdOf({ subjectKey, providerSlug }: ServiceEvent): string {
  const key = subjectKey ?? ''
  return key.startsWith(`${providerSlug}/`) ? key.slice(providerSlug.length + 1) : key
}

export function stateOf({ eventType }: ServiceEvent): LifecycleState | undefined {
  return states.get(eventType)
}

/** The id of the model that this event is a current fact about, as JSON, so that it is plain text. */
export function factModelOf(event: ServiceEvent): string | null {
  const isFact = event.subjectType === 'model' && stateOf(event) !== undefined
  return isFact && event.subjectKey && !event.retractedAt ? JSON.stringify(modelIdOf(event)) : null
}

/** Additional facts from the provider's own list, if that was the source of the event. */
export function evidenceOf(
  event: ServiceEvent,
  now: Date,
): z.infer<z.ZodObject<typeof lifecycleEvidence>> {
  const state = stateOf(event)
  if (event.evidenceState !== 'documented') return {}
  if (state !== 'deprecated' && state !== 'removed') return {}
  const notice = notices.get(`${event.providerSlug}/${modelIdOf(event)}`)
  if (!notice) return {}
  // A deprecation takes effect this many days after its announcement.
  const noticeDays = state === 'deprecated' ? notice.noticeDays : 0
  const effective = new Date(Date.parse(event.firstObservedAt) + noticeDays * dayMs)
  const leftDays = Math.ceil((effective.getTime() - now.getTime()) / dayMs)
  const effectiveAt = effective.toISOString()
  // There is no such date-time after the year 9999.
  if (!dateTime.safeParse(effectiveAt).success) return {}
  const { replacementIds } = notice
  return { effectiveAt, daysRemaining: Math.max(0, leftDays), replacementIds }
}

const notices = new Map(Object.entries(catalogue.notices))
const dayMs = 86_400_000

type ModelQuery = Pick<EventFilter, 'provider'> & { model: string }

export type ModelMatch =
  | { result: 'found'; matchedBy: 'exact' | 'alias'; event: ServiceEvent }
  | { result: 'unknown' }
  | { result: 'ambiguous'; candidates: { provider: string; model: string }[] }

/** Resolves a name: an exact id first, or else a curated alias. */
export async function resolveModel(db: Queryable, query: ModelQuery): Promise<ModelMatch> {
  const exact = await findLifecycle(db, query)
  if (exact.length > 0) return choose('exact', exact)
  const named = catalogue.aliases.filter(
    ({ alias, provider }) => alias === query.model && (query.provider ?? provider) === provider,
  )
  const [only, ...others] = named.map(({ provider, model }) => ({ provider, model }))
  if (!only) return { result: 'unknown' }
  if (others.length > 0) return { result: 'ambiguous', candidates: [only, ...others] }
  return choose('alias', await findLifecycle(db, only))
}

function choose(matchedBy: 'exact' | 'alias', events: ServiceEvent[]): ModelMatch {
  const [event, ...others] = events
  if (!event) return { result: 'unknown' }
  if (others.length === 0) return { result: 'found', matchedBy, event }
  const candidates = events.map((one) => ({ provider: one.providerSlug, model: modelIdOf(one) }))
  return { result: 'ambiguous', candidates }
}

/** Each provider's latest confirmed fact about a model with this id. */
async function findLifecycle(db: Queryable, query: ModelQuery): Promise<ServiceEvent[]> {
  const values: unknown[] = []
  const types = [...states.keys()]
  const conditions = conditionsOf(
    { ...query, types, isModelFact: true, confirmation: 'confirmed' },
    (given) => `$${values.push(given)}`,
  )
  const { rows } = await db.query<{ body: string }>(
    `select distinct on (provider) body from sandbox.event
     where ${conditions.join(' and ')}
     order by provider, first_observed_at desc, position desc
     limit 50`,
    values,
  )
  return rows.map(({ body }) => serviceEvent.parse(JSON.parse(body)))
}

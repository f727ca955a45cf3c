import type { Queryable } from '@feed-receiver/database'
import { conditionsOf } from '../events/list-events.ts'
import { serviceEvent, type ServiceEvent } from '../state/event-schema.ts'
import catalogue from './catalogue.json' with { type: 'json' }
import { lifecycleStates, modelIdOf } from './model-fact.ts'

interface Asked {
  model: string
  provider?: string | undefined
}

export type ModelMatch =
  | { result: 'found'; matchedBy: 'exact' | 'alias'; event: ServiceEvent }
  | { result: 'unknown' }
  | { result: 'ambiguous'; candidates: { provider: string; model: string }[] }

/** What a name means: an exact id first, and a curated alias where there is none (R150–R152). */
export async function resolveModel(db: Queryable, asked: Asked): Promise<ModelMatch> {
  const exact = await findLifecycle(db, asked)
  if (exact.length > 0) return choose('exact', exact)
  const named = catalogue.aliases.filter(
    ({ alias, provider }) => alias === asked.model && (asked.provider ?? provider) === provider,
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

/** The latest confirmed fact about this model from each provider that has one of this id. */
async function findLifecycle(db: Queryable, asked: Asked): Promise<ServiceEvent[]> {
  const values: unknown[] = []
  const types = Object.keys(lifecycleStates)
  const conditions = conditionsOf(
    { ...asked, types, isModelFact: true, confirmation: 'confirmed' },
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

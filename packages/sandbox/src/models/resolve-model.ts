import type { Queryable } from '@feed-receiver/database'
import { conditionsOf } from '../events/list-events.ts'
import { serviceEvent, type ServiceEvent } from '../state/event-schema.ts'
import { aliases } from './catalogue.ts'
import { lifecycleStates, modelIdOf } from './model-fact.ts'

interface Named {
  provider: string
  model: string
}

export type ModelMatch =
  | { result: 'found'; matchedBy: 'exact' | 'alias'; event: ServiceEvent }
  | { result: 'unknown' }
  | { result: 'ambiguous'; candidates: Named[] }

/** What a name means: an exact id first, and a curated alias where there is none (R150–R152). */
export async function resolveModel(
  db: Queryable,
  { model, provider }: { model: string; provider?: string | undefined },
): Promise<ModelMatch> {
  const exact = await findLifecycle(db, { model, provider })
  if (exact.length > 0) return choose('exact', exact)
  const named = aliases.filter(
    (one) => one.alias === model && (provider === undefined || one.provider === provider),
  )
  if (named.length > 1) {
    const candidates = named.map(({ alias: _alias, ...candidate }) => candidate)
    return { result: 'ambiguous', candidates }
  }
  const [only] = named
  return only ? choose('alias', await findLifecycle(db, only)) : { result: 'unknown' }
}

function choose(matchedBy: 'exact' | 'alias', events: ServiceEvent[]): ModelMatch {
  const [event, ...others] = events
  if (!event) return { result: 'unknown' }
  if (others.length === 0) return { result: 'found', matchedBy, event }
  const candidates = events.map((one) => ({ provider: one.providerSlug, model: modelIdOf(one) }))
  return { result: 'ambiguous', candidates }
}

/** The latest confirmed fact about this model from each provider that has one of this id. */
async function findLifecycle(
  db: Queryable,
  { model, provider }: { model: string; provider?: string | undefined },
): Promise<ServiceEvent[]> {
  const values: unknown[] = []
  const value = (given: unknown) => `$${values.push(given)}`
  const types = Object.keys(lifecycleStates)
  const filter = { provider, types, model, isModelFact: true, confirmation: 'confirmed' as const }
  const conditions = conditionsOf(filter, value).filter((condition) => condition !== false)
  const { rows } = await db.query<{ body: string }>(
    `select distinct on (provider) body from sandbox.event
     where ${conditions.join(' and ')}
     order by provider, first_observed_at desc, position desc
     limit 50`,
    values,
  )
  return rows.map(({ body }) => serviceEvent.parse(JSON.parse(body)))
}

import type { Queryable } from '@feed-receiver/database'
import { serviceEvent, type ServiceEvent } from '../state/event-schema.ts'
import { conditionsOf } from '../events/list-events.ts'
import { lifecycleStates } from './model-fact.ts'

/** The latest confirmed fact about this model from each provider that has one of this id. */
export async function findLifecycle(
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

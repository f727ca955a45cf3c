import type { FeedEvent } from '@feed-receiver/core'
import type { Database } from '@feed-receiver/database'
import type { Handler, Handlers } from '@feed-receiver/inbox'
import { storable, tables } from './tables.ts'

export type ModelState = 'listed' | 'released' | 'deprecated' | 'removed'

/** The latest confirmed fact about a model. */
export interface Model {
  provider: string
  model: string
  state: ModelState
  /** When the service first observed it. */
  since: Date
  /** When a deprecation takes effect; null if no evidence says so. */
  effectiveAt: Date | null
  /** Empty if no evidence names one. */
  replacements: string[]
  sourceUrl: string
}

/** Keeps the table of models. Safe in any order: the view `model` has the latest fact of each. */
export async function createModelWatch({ database }: { database: Database }): Promise<Handlers> {
  await database.migrate(tables, { schema: 'model_watch' })
  return {
    api_model_listed: recordAs('listed'),
    model_release: recordAs('released'),
    model_removed: recordAs('removed'),
    futureTypes: { model_deprecated: recordAs('deprecated') },
  }
}

function recordAs(state: ModelState): Handler {
  return async ({ id, created_at, data, pull }, { tx }) => {
    const model = modelOf(data)
    if (model === null) return
    const isConfirmed = data.confirmation === 'confirmed'
    const isRetracted = Boolean(pull?.retractedAt)
    await tx.query(
      `insert into model_watch.fact
         (event_id, provider, model, state, observed_at, source_url, is_confirmed, is_retracted)
       values ($1, $2, $3, $4, $5, $6, $7, $8)
       on conflict (event_id) do update set provider = excluded.provider, model = excluded.model,
         observed_at = excluded.observed_at, source_url = excluded.source_url,
         is_confirmed = excluded.is_confirmed, is_retracted = excluded.is_retracted`,
      [id, data.provider, model, state, created_at, data.source_url, isConfirmed, isRetracted].map(
        storable,
      ),
    )
  }
}

/** The key of the subject without its provider; null if the event names no model. */
function modelOf({ provider, subject }: FeedEvent['data']): string | null {
  if (subject.type !== 'model' || !subject.key) return null
  const prefix = `${provider}/`
  return subject.key.startsWith(prefix) ? subject.key.slice(prefix.length) : subject.key
}

/** The models with this id, one for each provider that has it. */
export async function findModels(
  database: Pick<Database, 'query'>,
  model: string,
): Promise<Model[]> {
  const { rows } = await database.query<Model>(
    `select provider, model, state, since, effective_at as "effectiveAt", replacements,
       source_url as "sourceUrl"
     from model_watch.model where model = $1 order by provider`,
    [model],
  )
  return rows
}

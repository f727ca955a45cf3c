import type { Database } from '@feed-receiver/database'
import { isoTime } from '@feed-receiver/inbox/internal'
import { CliError } from '../errors.ts'

export interface ModelFact {
  provider: string
  model: string
  /** `listed`, `released`, `deprecated`, `removed`, or one that this version does not know. */
  state: string
  since: string
  /** When a deprecation takes effect, if evidence says so. */
  effectiveAt: string | null
  replacements: string[]
  sourceUrl: string
}

/** `unknown` means that no confirmed fact matches, `ambiguous` that several providers match. */
export type ModelCheck =
  | ({ result: 'found' } & ModelFact)
  | { result: 'ambiguous'; candidates: { provider: string; model: string }[] }
  | { result: 'unknown' }

export interface ModelFacts {
  /** Ids to find wherever they are written, with and without their provider. */
  known: ReadonlySet<string>
  check(model: string, provider?: string): Promise<ModelCheck>
}

/** Reads the facts of the recipe model-watch. Errors: `not_migrated` without its table. */
export async function readTable(database: Database): Promise<ModelFacts> {
  const { rows: tables } = await database.query<{ found: boolean }>(
    `select to_regclass('model_watch.model') is not null as found`,
  )
  if (tables[0]?.found !== true)
    throw new CliError(
      'not_migrated',
      'This database has no table of models. Add the recipe model-watch to the app and start it once, or use --from service.',
    )
  const { rows } = await database.query<ModelFact>(
    // PostgreSQL also has the time infinity.
    `select provider, model, state, coalesce(${isoTime('since')}, since::text) as since,
       ${isoTime('effective_at')} as "effectiveAt", replacements, source_url as "sourceUrl"
     from model_watch.model order by provider`,
  )
  return {
    known: knownOf(rows),
    async check(model, provider) {
      const found = rows.filter(
        (fact) => fact.model === model && (provider === undefined || fact.provider === provider),
      )
      const [only, ...others] = found
      if (!only) return { result: 'unknown' }
      if (others.length === 0) return { result: 'found', ...only }
      const candidates = found.map((fact) => ({ provider: fact.provider, model }))
      return { result: 'ambiguous', candidates }
    },
  }
}

/** The ids of models, also with their providers before them. */
export function knownOf(models: readonly { provider: string; model: string }[]): Set<string> {
  return new Set(
    models.flatMap(({ provider, model }) => [
      model,
      `${provider}/${model}`,
      `${provider}:${model}`,
    ]),
  )
}

/**
 * Looks up an id that may begin with its provider, as in `northwind-ai/zephyr-3` or
 * `northwind-ai:zephyr-3`, or whose provider is given.
 */
export async function checkWritten(
  { check }: ModelFacts,
  written: string,
  provider?: string,
): Promise<ModelCheck> {
  const whole = await check(written, provider)
  const separator = written.search(/[/:]/)
  if (whole.result !== 'unknown' || separator === -1) return whole
  return await check(written.slice(separator + 1), written.slice(0, separator))
}

import { ClientError, type Client } from '@feed-receiver/client'
import { CliError } from '../errors.ts'
import { knownOf, type ModelCheck, type ModelFacts } from './model-facts.ts'

/**
 * Looks models up at the service, one by one. Its list of deprecations only says which ids to find
 * wherever they are written, because an id in it may be ambiguous. Errors: `rejected`.
 */
export async function askService<Result>(
  client: Client,
  work: (facts: ModelFacts) => Promise<Result>,
): Promise<Result> {
  try {
    await using tools = await client.mcp()
    const models: { provider: string; model: string }[] = []
    let cursor: string | null = null
    for (let hasMore = true; hasMore;) {
      const page: Awaited<ReturnType<typeof tools.getDeprecations>> = await tools.getDeprecations({
        limit: 200,
        cursor,
      })
      models.push(...page.items.map(({ provider, modelId: model }) => ({ provider, model })))
      ;({ cursor, hasMore } = page)
    }
    return await work({
      known: knownOf(models),
      check: async (model, provider) => toCheck(await tools.checkModel({ model, provider })),
    })
  } catch (error) {
    if (error instanceof ClientError) throw new CliError('rejected', error.message, error)
    throw error
  }
}

type Answer = Awaited<ReturnType<Awaited<ReturnType<Client['mcp']>>['checkModel']>>

function toCheck({ result, model, provider, lifecycle, event, candidates }: Answer): ModelCheck {
  if (result === 'ambiguous') return { result: 'ambiguous', candidates: candidates ?? [] }
  // A result that this version does not know says nothing about the model.
  if (result !== 'found' || !lifecycle || !event) return { result: 'unknown' }
  return {
    result: 'found',
    provider: provider ?? '',
    model: model ?? '',
    state: lifecycle.state,
    since: event.firstObservedAt,
    effectiveAt: lifecycle.effectiveAt ?? null,
    replacements: lifecycle.replacementIds ?? [],
    sourceUrl: event.sourceUrl,
  }
}

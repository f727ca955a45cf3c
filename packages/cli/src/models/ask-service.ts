import { setTimeout as delay } from 'node:timers/promises'
import { ClientError, type Client, type ModelCheck as CheckedModel } from '@feed-receiver/client'
import { CliError } from '../errors.ts'
import { knownOf, type ModelCheck, type ModelFacts } from './model-facts.ts'

interface WaitOptions {
  signal: AbortSignal
  /** Called before each wait for the rate limit. */
  onWait: (until: Date) => void
}

/**
 * Looks models up at the service, one by one. Its list of deprecations only says which ids to find
 * wherever they are written, because an id in it may be ambiguous. Errors: `rejected`.
 */
export async function askService<Result>(
  client: Client,
  work: (facts: ModelFacts) => Promise<Result>,
  options: WaitOptions,
): Promise<Result> {
  try {
    await using tools = await client.mcp()
    const models: { provider: string; model: string }[] = []
    let from: string | null = null
    const readOn = async () => {
      for await (const { items, cursor } of tools
        .deprecations({ limit: 200, cursor: from })
        .pages()) {
        models.push(...items.map(({ provider, modelId: model }) => ({ provider, model })))
        from = cursor
      }
    }
    await waitForMinute(readOn, options)
    return await work({
      known: knownOf(models),
      async check(model, provider) {
        try {
          return toCheck(await waitForMinute(() => tools.checkModel({ model, provider }), options))
        } catch (error) {
          // Such as a text before a slash that names no provider.
          if (error instanceof ClientError && error.code === 'invalid_request')
            return { result: 'unknown' }
          throw error
        }
      },
    })
  } catch (error) {
    if (error instanceof ClientError) throw new CliError('rejected', error.message, error)
    throw error
  }
}

const minuteMs = 60_000

/** Asks again when the limit of requests per minute allows it. An exhausted quota is an error. */
export async function waitForMinute<Result>(
  ask: () => Promise<Result>,
  { signal, onWait }: WaitOptions,
): Promise<Result> {
  for (;;) {
    try {
      return await ask()
    } catch (error) {
      const until = error instanceof ClientError ? error.retryAt : undefined
      const leftMs = until ? until.getTime() - Date.now() : Infinity
      if (!until || leftMs > minuteMs) throw error
      onWait(until)
      await delay(Math.max(0, leftMs), undefined, { signal })
    }
  }
}

function toCheck({
  result,
  model,
  provider,
  lifecycle,
  event,
  candidates,
}: CheckedModel): ModelCheck {
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

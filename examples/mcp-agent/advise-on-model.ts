import type { McpTools } from '@feed-receiver/client'

/** One step of an agent: looks up a model, asks again if ambiguous, and returns advice. */
export async function adviseOnModel(
  tools: McpTools,
  model: string,
  provider?: string,
): Promise<string> {
  const name = provider === undefined ? model : `${model} of ${provider}`
  const { result, candidates, lifecycle, event } = await tools.checkModel({ model, provider })
  if (result === 'ambiguous' && candidates && provider === undefined) {
    const advice = candidates.map((one) => adviseOnModel(tools, model, one.provider))
    return (await Promise.all(advice)).join('\n')
  }
  // A missing fact is not good news, because nothing was confirmed either way.
  if (!lifecycle || !event) return `${name}: nothing is known, look it up yourself`

  const { state, effectiveAt, daysRemaining, replacementIds } = lifecycle
  const isLeaving = state === 'deprecated' || state === 'removed'
  if (!isLeaving) return `${name}: ${state}, nothing to do (${event.sourceUrl})`
  // The service omits facts without evidence, and an agent must not guess them.
  const to = replacementIds?.length
    ? `move to ${replacementIds.join(' or ')}`
    : 'find another model'
  const until = effectiveAt ? ` by ${effectiveAt.slice(0, 10)}, in ${daysRemaining} days` : ''
  return `${name}: ${state}, ${to}${until} (${event.sourceUrl})`
}

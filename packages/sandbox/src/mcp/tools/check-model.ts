import { z } from 'zod'
import { eventParameters } from '../../events/events-route.ts'
import { serviceEvent } from '../../state/event-schema.ts'
import { usageOf } from '../../server/caller.ts'
import { evidenceOf, lifecycleEvidence, modelIdOf, stateOf } from '../../models/model-fact.ts'
import { resolveModel, type ModelMatch } from '../../models/resolve-model.ts'
import { defineTool, modelName, usage } from '../tool.ts'

const { id, title, sourceUrl, firstObservedAt, evidenceState } = serviceEvent.shape

/** What a name resolves to, from exact ids first and curated aliases after (R150–R153). */
export const checkModel = defineTool({
  name: 'check_model',
  title: 'Check a model',
  description:
    'Resolves an exact model id or a curated alias to its latest confirmed lifecycle fact. unknown ' +
    'means that no confirmed fact matches, not that the model is fine. ambiguous means that several ' +
    'match: call again with one of the candidates. Replacements, effective dates and countdowns are ' +
    'there only where structured evidence of the source supports them.',
  input: z.object({
    model: modelName.describe('An exact model id, alone or as provider/model, or an alias.'),
    provider: eventParameters.provider,
  }),
  output: z.object({
    result: z.enum(['found', 'unknown', 'ambiguous']),
    model: z.string().optional(),
    provider: z.string().optional(),
    matchedBy: z.enum(['exact', 'alias']).optional(),
    lifecycle: z
      .object({
        state: z.enum(['listed', 'released', 'deprecated', 'removed']),
        ...lifecycleEvidence,
      })
      .optional(),
    event: z.object({ id, title, sourceUrl, firstObservedAt, evidenceState }).optional(),
    candidates: z
      .array(z.object({ provider: z.string(), model: z.string() }))
      .min(2)
      .optional(),
    usage,
  }),
  async answer({ database }, caller, query) {
    const match = await resolveModel(database, query)
    return {
      content: { ...describe(match, caller.now), usage: usageOf(caller) },
      text: say(query.model, match, caller.now),
    }
  },
})

function describe(match: ModelMatch, now: Date) {
  if (match.result !== 'found') return match
  const { result, matchedBy, event } = match
  return {
    result,
    model: modelIdOf(event),
    provider: event.providerSlug,
    matchedBy,
    lifecycle: { state: stateOf(event), ...evidenceOf(event, now) },
    event: {
      id: event.id,
      title: event.title,
      sourceUrl: event.sourceUrl,
      firstObservedAt: event.firstObservedAt,
      evidenceState: event.evidenceState,
    },
  }
}

function say(asked: string, match: ModelMatch, now: Date): string {
  if (match.result === 'unknown') return `No confirmed fact matches ${asked}.`
  if (match.result === 'ambiguous') {
    const names = match.candidates.map(({ provider, model }) => `${provider}/${model}`)
    return `${asked} is ambiguous; call again with one of ${names.join(', ')}.`
  }
  const { event } = match
  const { effectiveAt, replacementIds } = evidenceOf(event, now)
  const since = effectiveAt === undefined ? '' : `, effective ${effectiveAt}`
  const instead = replacementIds === undefined ? '' : `, replaced by ${replacementIds.join(', ')}`
  const name = `${event.providerSlug}/${modelIdOf(event)}`
  return `${name} is ${stateOf(event) ?? event.eventType}${since}${instead} (${event.sourceUrl})`
}

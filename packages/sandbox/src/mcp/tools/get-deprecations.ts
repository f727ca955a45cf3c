import { z } from 'zod'
import { eventParameters, readPage } from '../../events/events-route.ts'
import { evidenceOf, lifecycleEvidence, modelIdOf, stateOf } from '../../models/model-fact.ts'
import { usageOf } from '../../server/caller.ts'
import { serviceEvent } from '../../state/event-schema.ts'
import { dateTime } from '../../state/fields.ts'
import { defineTool, modelName, pageLimit, pageOf, sayPage } from '../tool.ts'

const { cursor, provider } = eventParameters

const deprecation = z.object({
  id: z.string().describe('Of the change that says so.'),
  provider: z.string(),
  modelId: z.string(),
  fact: z.enum(['deprecated', 'removed']),
  announcedAt: dateTime,
  ...lifecycleEvidence,
  sourceUrl: serviceEvent.shape.sourceUrl,
  evidenceState: z.string(),
})

/** Facts that are confirmed and were not retracted, and no others (R149). */
export const getDeprecations = defineTool({
  name: 'get_deprecations',
  title: 'Get deprecations',
  description:
    'Lists confirmed facts about models that were deprecated or removed, the newest first; with ' +
    'cursor what came since, the oldest first. Replacements, effective dates and countdowns are ' +
    'there only where structured evidence of the source supports them.',
  input: z.object({ provider, model: modelName.optional(), limit: pageLimit, cursor }),
  output: pageOf(deprecation),
  async answer(context, caller, query) {
    const page = await readPage(
      context,
      {
        stream: 'deprecations',
        accountId: caller.accountId,
        filters: [query.provider, query.model],
      },
      {
        provider: query.provider,
        model: query.model,
        types: ['model_deprecated', 'model_removed'],
        isModelFact: true,
        confirmation: 'confirmed',
      },
      query,
    )
    const events = z.array(serviceEvent).parse(JSON.parse(page.events))
    const data = events.map((event): z.infer<typeof deprecation> => ({
      id: event.id,
      provider: event.providerSlug,
      modelId: modelIdOf(event),
      fact: stateOf(event) === 'removed' ? 'removed' : 'deprecated',
      announcedAt: event.firstObservedAt,
      ...evidenceOf(event, caller.now),
      sourceUrl: event.sourceUrl,
      evidenceState: event.evidenceState,
    }))
    const { nextCursor, hasMore } = page
    const lines = data.map(
      (one) => `${one.id} ${one.provider}: ${one.modelId} ${one.fact} (${one.sourceUrl})`,
    )
    return {
      content: { data, nextCursor, hasMore, usage: usageOf(caller) },
      text: sayPage('facts', lines, page),
    }
  },
})

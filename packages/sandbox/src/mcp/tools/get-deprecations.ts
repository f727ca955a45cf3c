import { z } from 'zod'
import { readCursor, writeCursor, type CursorScope } from '../../state/cursor.ts'
import { eventParameters } from '../../events/event-query.ts'
import { serviceEvent, type ServiceEvent } from '../../state/event-schema.ts'
import { continueFrom, startOf } from '../../events/events-route.ts'
import { listEvents } from '../../events/list-events.ts'
import { usageOf, type Caller } from '../../server/caller.ts'
import { evidenceOf, lifecycleEvidence, modelIdOf, stateOf } from '../../models/model-fact.ts'
import { dateTime } from '../../state/date-time.ts'
import { modelName } from '../model-name.ts'
import { pageLimit, pageOf, sayPage } from '../tool-page.ts'
import { defineTool } from '../tool.ts'

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

type Deprecation = z.infer<typeof deprecation>

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
    const { database, cursorKey, behaviour } = context
    const filters = [query.provider, query.model]
    const scope: CursorScope = { stream: 'deprecations', accountId: caller.accountId, filters }
    const start = startOf(query, (given) => readCursor(cursorKey, scope, given))
    const page = await listEvents(database, filterOf(query), start, query.limit)
    const next = continueFrom(page, start, behaviour.firstCursor)
    const nextCursor = writeCursor(cursorKey, scope, next.positions)
    const data = z
      .array(serviceEvent)
      .parse(JSON.parse(`[${page.data}]`))
      .map((event) => toDeprecation(event, caller))
    const content = { data, nextCursor, hasMore: next.hasMore, usage: usageOf(caller) }
    const lines = data.map(
      (one) => `${one.id} ${one.provider}: ${one.modelId} ${one.fact} (${one.sourceUrl})`,
    )
    return { content, text: sayPage('facts', lines, { nextCursor, hasMore: next.hasMore }) }
  },
})
function filterOf({
  provider: of,
  model,
}: {
  provider?: string | undefined
  model?: string | undefined
}) {
  const types = ['model_deprecated', 'model_removed']
  return { provider: of, model, types, isModelFact: true, confirmation: 'confirmed' as const }
}

function toDeprecation(event: ServiceEvent, { now }: Caller): Deprecation {
  return {
    id: event.id,
    provider: event.providerSlug,
    modelId: modelIdOf(event),
    fact: stateOf(event) === 'removed' ? 'removed' : 'deprecated',
    announcedAt: event.firstObservedAt,
    ...evidenceOf(event, now),
    sourceUrl: event.sourceUrl,
    evidenceState: event.evidenceState,
  }
}

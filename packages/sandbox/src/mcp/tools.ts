import { z } from 'zod'
import { eventParameters, readEventPage, readPage } from '../events/events-route.ts'
import { findEvent } from '../events/find-events.ts'
import {
  evidenceOf,
  lifecycleEvidence,
  modelIdOf,
  resolveModel,
  stateOf,
  type ModelMatch,
} from '../models/model-fact.ts'
import type { Caller } from '../server/charging.ts'
import type { Context } from '../server/context.ts'
import { Rejection } from '../server/rejections.ts'
import { plainText, dateTime } from '../state/fields.ts'
import { serviceEvent, type ServiceEvent } from '../state/service-event.ts'

/** One tool of the MCP endpoint. Its schemas are listed, and validate its input. */
export interface Tool<Input extends z.ZodType = z.ZodType> {
  name: string
  title: string
  description: string
  input: Input
  /** The members of its result without the usage, which is in every result. */
  output: Record<string, z.ZodType>
  /** @throws Rejection for errors that the tool reports to the client */
  answer(context: Context, input: z.output<Input>, caller: Caller): Promise<ToolAnswer>
}

interface ToolAnswer {
  /** The content that the output schema describes. */
  content: object
  /** The same in a few lines, for a model whose client does not show it the structured content. */
  lines: string[]
}

/** Defines a tool whose types follow from its input. */
function defineTool<Input extends z.ZodType>(tool: Tool<Input>): Tool<Input> {
  return tool
}

const pageLimit = z
  .int()
  .min(1)
  .max(200)
  .default(50)
  .describe('The maximum number of items in the page.')

/** The shape of a page, common to all tools with pages. */
function pageOf(item: z.ZodType) {
  return { data: z.array(item), nextCursor: z.string().nullable(), hasMore: z.boolean() }
}

const { cursor, provider, type, confirmation } = eventParameters

const listChanges = defineTool({
  name: 'list_changes',
  title: 'List changes',
  description:
    'Lists source-linked changes at AI providers, newest first. With cursor, the nextCursor of an ' +
    'earlier response, it returns later changes, oldest first: store the cursor to poll.',
  input: z.object({ limit: pageLimit, cursor, provider, type, confirmation }),
  output: pageOf(serviceEvent),
  async answer(context, query, caller) {
    return answerPage(
      await readEventPage(context, caller, query),
      'changes',
      (event) => event,
      ({ id, providerSlug, title, sourceUrl }) => `${id} ${providerSlug}: ${title} (${sourceUrl})`,
    )
  },
})

const getChange = defineTool({
  name: 'get_change',
  title: 'Get a change',
  description:
    'Returns one change by its id from list_changes or a webhook. A step of an outage includes the ' +
    'timeline of its incident.',
  input: z.object({
    id: plainText(255).describe('The stable id of the change.'),
  }),
  output: { event: serviceEvent },
  async answer(context, { id }) {
    const event = await findEvent.run(context, { id })
    if (!event) throw new Rejection('event_missing')
    const { providerSlug, title, summary, sourceUrl, confirmationState, retractedAt } = event
    const state = retractedAt ? 'retracted' : confirmationState
    const lines = [`${event.id} ${providerSlug}: ${title} (${state})`, summary, sourceUrl]
    return { content: { event }, lines: lines.filter((line) => typeof line === 'string') }
  },
})

const onlyEvidence =
  'Replacements, effective dates and countdowns are included only if structured evidence from the ' +
  'source supports them.'

const modelName = plainText(200)

const deprecation = z.object({
  id: z.string().describe('The id of the change that states this fact.'),
  provider: z.string(),
  modelId: z.string(),
  fact: z.enum(['deprecated', 'removed']),
  announcedAt: dateTime,
  ...lifecycleEvidence,
  sourceUrl: serviceEvent.shape.sourceUrl,
  evidenceState: z.string(),
})

const getDeprecations = defineTool({
  name: 'get_deprecations',
  title: 'Get deprecations',
  description: `Lists confirmed facts about deprecated or removed models, newest first. With cursor, it returns later facts, oldest first. ${onlyEvidence}`,
  input: z.object({
    provider,
    model: modelName.describe('The exact id of the model, alone or as provider/model.').optional(),
    limit: pageLimit,
    cursor,
  }),
  output: pageOf(deprecation),
  async answer(context, query, { accountId, now }) {
    const of = { provider: query.provider, model: query.model }
    const types = ['model_deprecated', 'model_removed']
    const page = await readPage(
      context,
      { stream: 'deprecations', accountId, filters: [of.provider, of.model] },
      { ...of, types, isModelFact: true, confirmation: 'confirmed' },
      query,
    )
    return answerPage(
      page,
      'facts',
      (event): z.infer<typeof deprecation> => ({
        id: event.id,
        provider: event.providerSlug,
        modelId: modelIdOf(event),
        fact: stateOf(event) === 'removed' ? 'removed' : 'deprecated',
        announcedAt: event.firstObservedAt,
        ...evidenceOf(event, now),
        sourceUrl: event.sourceUrl,
        evidenceState: event.evidenceState,
      }),
      (one) => `${one.id} ${one.provider}: ${one.modelId} ${one.fact} (${one.sourceUrl})`,
    )
  },
})

const source = serviceEvent.pick({
  id: true,
  title: true,
  sourceUrl: true,
  firstObservedAt: true,
  evidenceState: true,
})

const checkModel = defineTool({
  name: 'check_model',
  title: 'Check a model',
  description: `Resolves an exact model id or a curated alias to its latest confirmed lifecycle fact. unknown means that no confirmed fact matches, not that the model is fine. ambiguous means that several facts match: call again with one of the candidates. ${onlyEvidence}`,
  input: z.object({
    model: modelName.describe('An exact model id, alone or as provider/model, or an alias.'),
    provider,
  }),
  output: {
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
    event: source.optional(),
    candidates: z
      .array(z.object({ provider: z.string(), model: z.string() }))
      .min(2)
      .optional(),
  },
  async answer({ database }, query, { now }) {
    const match = await resolveModel(database, query)
    return { content: modelContent(match, now), lines: [summarize(query.model, match, now)] }
  },
})

function modelContent(match: ModelMatch, now: Date) {
  if (match.result !== 'found') return match
  const { result, matchedBy, event } = match
  return {
    result,
    model: modelIdOf(event),
    provider: event.providerSlug,
    matchedBy,
    lifecycle: { state: stateOf(event), ...evidenceOf(event, now) },
    event: source.parse(event),
  }
}

function summarize(name: string, match: ModelMatch, now: Date): string {
  if (match.result === 'unknown') return `No confirmed fact matches ${name}.`
  if (match.result === 'ambiguous') {
    const names = match.candidates.map((one) => `${one.provider}/${one.model}`)
    return `${name} is ambiguous; call again with one of ${names.join(', ')}.`
  }
  const { event } = match
  const { effectiveAt, replacementIds } = evidenceOf(event, now)
  const since = effectiveAt === undefined ? '' : `, effective ${effectiveAt}`
  const instead = replacementIds === undefined ? '' : `, replaced by ${replacementIds.join(', ')}`
  const named = `${event.providerSlug}/${modelIdOf(event)}`
  return `${named} is ${stateOf(event) ?? event.eventType}${since}${instead} (${event.sourceUrl})`
}

function answerPage<Item>(
  { events, nextCursor, hasMore }: { events: string; nextCursor: string; hasMore: boolean },
  what: string,
  read: (event: ServiceEvent) => Item,
  lineOf: (item: Item) => string,
): ToolAnswer {
  const data = z.array(serviceEvent).parse(JSON.parse(events)).map(read)
  const next = `${hasMore ? 'More are available.' : 'No more for now.'} Next cursor: ${nextCursor}`
  const lines = [`${data.length} ${what}.`, ...data.map(lineOf), next]
  return { content: { data, nextCursor, hasMore }, lines }
}

export const tools: readonly Tool[] = [listChanges, getChange, getDeprecations, checkModel]

import { z } from 'zod'
import { eventParameters, readEventPage } from '../events/events-route.ts'
import { findDetailedEvent } from '../events/find-events.ts'
import { Refusal } from '../server/refusals.ts'
import { serviceEvent } from '../state/event-schema.ts'
import { plainText } from '../state/fields.ts'
import { answerPage, defineTool, pageLimit, pageOf } from './tool.ts'
import texts from './tools.json' with { type: 'json' }

const { cursor, provider, type, confirmation } = eventParameters

/** GET /v1/events as a tool (R147). */
export const listChanges = defineTool({
  ...texts.listChanges,
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

/** The one detailed read: with the timeline of the incident (R148). */
export const getChange = defineTool({
  ...texts.getChange,
  input: z.object({
    id: plainText(255).describe('The stable id of the change.'),
  }),
  output: { event: serviceEvent },
  async answer({ database }, { id }) {
    const event = await findDetailedEvent(database, id)
    if (!event) throw new Refusal('event_missing')
    const { providerSlug, title, summary, sourceUrl, confirmationState, retractedAt } = event
    const state = retractedAt ? 'retracted' : confirmationState
    const lines = [`${event.id} ${providerSlug}: ${title} (${state})`, summary, sourceUrl]
    const text = lines.filter((line) => typeof line === 'string').join('\n')
    return { content: { event }, text }
  },
})

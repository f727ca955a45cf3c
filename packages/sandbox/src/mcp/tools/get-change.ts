import { z } from 'zod'
import { findDetailedEvent } from '../../events/find-events.ts'
import { serviceEvent } from '../../state/event-schema.ts'
import { usageOf } from '../../server/caller.ts'
import { Refusal } from '../../server/refusals.ts'
import { defineTool, usage } from '../tool.ts'
import { plainText } from '../../state/fields.ts'

/** The one detailed read: with the timeline of the incident (R148). */
export const getChange = defineTool({
  name: 'get_change',
  title: 'Get a change',
  description:
    'Gets one change by its id, as list_changes or a webhook named it. A step of an outage comes ' +
    'with the timeline of its incident.',
  input: z.object({
    id: plainText(255).describe('The stable id of the change.'),
  }),
  output: z.object({ event: serviceEvent, usage }),
  async answer({ database }, caller, { id }) {
    const event = await findDetailedEvent(database, id)
    if (!event) throw new Refusal('event_missing')
    const { title, summary, sourceUrl, confirmationState, retractedAt } = event
    const state = retractedAt ? 'retracted' : confirmationState
    const lines = [`${event.id} ${event.providerSlug}: ${title} (${state})`, summary, sourceUrl]
    const text = lines.filter((line) => typeof line === 'string').join('\n')
    return { content: { event, usage: usageOf(caller) }, text }
  },
})

import { z } from 'zod'
import { eventParameters, readEventPage } from '../../events/events-route.ts'
import { usageOf } from '../../server/caller.ts'
import { serviceEvent } from '../../state/event-schema.ts'
import { defineTool, pageLimit, pageOf, sayPage } from '../tool.ts'

const { cursor, provider, type, confirmation } = eventParameters

/** GET /v1/events as a tool (R147). */
export const listChanges = defineTool({
  name: 'list_changes',
  title: 'List changes',
  description:
    'Lists source-linked changes at AI providers, the newest first. With cursor, the nextCursor of ' +
    'an earlier answer, it brings what came since, the oldest first: keep the cursor to poll.',
  input: z.object({ limit: pageLimit, cursor, provider, type, confirmation }),
  output: pageOf(serviceEvent),
  async answer(context, caller, query) {
    const { events, nextCursor, hasMore } = await readEventPage(context, caller, query)
    const data = z.array(serviceEvent).parse(JSON.parse(events))
    const lines = data.map(
      ({ id, providerSlug, title, sourceUrl }) => `${id} ${providerSlug}: ${title} (${sourceUrl})`,
    )
    return {
      content: { data, nextCursor, hasMore, usage: usageOf(caller) },
      text: sayPage('changes', lines, { nextCursor, hasMore }),
    }
  },
})

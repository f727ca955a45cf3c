import { z } from 'zod'
import { eventParameters } from '../../events/event-query.ts'
import { serviceEvent } from '../../state/event-schema.ts'
import { readEventPage } from '../../events/events-route.ts'
import { usageOf } from '../../server/caller.ts'
import { pageOf, pageLimit, sayPage } from '../tool-page.ts'
import { defineTool } from '../tool.ts'

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
    const page = await readEventPage(context, caller, query)
    const data = z.array(serviceEvent).parse(JSON.parse(`[${page.data}]`))
    const { nextCursor, hasMore } = page
    const content = { data, nextCursor, hasMore, usage: usageOf(caller) }
    const lines = data.map(
      ({ id, providerSlug, title, sourceUrl }) => `${id} ${providerSlug}: ${title} (${sourceUrl})`,
    )
    return { content, text: sayPage('changes', lines, page) }
  },
})

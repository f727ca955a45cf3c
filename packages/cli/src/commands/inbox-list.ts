import { defineCommand } from '../command.ts'
import { entryFilterOptions, readEntryFilter } from '../entry-filter-options.ts'
import { formatTable } from '../format-table.ts'
import { inboxOptions, withInbox } from '../open-inbox.ts'
import { pageOptions, readPage } from '../page-options.ts'

/** One page of entries. */
export const inboxList = defineCommand({
  options: { ...entryFilterOptions, ...pageOptions, ...inboxOptions },
  examples: ['feed-receiver inbox list --state dead --since 2d'],
  async run({ options }, context) {
    const { out } = context
    const target = { ...readEntryFilter(options), ...readPage(options) }
    const page = await withInbox(options, context, ({ entries }) => entries.list(target))
    out.json(page)
    if (page.entries.length === 0) {
      out.note('There are none.')
      return 0
    }
    const rows = page.entries.map((entry) => [
      entry.receivedAt,
      entry.state,
      entry.eventId,
      entry.type,
      entry.provider,
      entry.title,
    ])
    const head = ['received', 'state', 'event', 'type', 'provider', 'title']
    for (const line of formatTable(head, rows, out.columns)) out.line(line)
    if (page.next !== null) out.note(`There is more: add --after ${page.next}`)
    return 0
  },
})

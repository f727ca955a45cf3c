import { defineCommand } from '../command.ts'
import {
  entryFilterOptions,
  pageOptions,
  readEntryFilter,
  readPage,
} from '../options/entry-options.ts'
import { inboxOptions, withInbox } from '../options/inbox-options.ts'
import { printPage } from '../output/format-table.ts'

/** One page of entries. */
export const inboxList = defineCommand({
  options: { ...entryFilterOptions, ...pageOptions, ...inboxOptions },
  examples: ['feed-receiver inbox list --state dead --since 2d'],
  async run({ options }, context) {
    const target = { ...readEntryFilter(options), ...readPage(options) }
    const page = await withInbox(options, context, ({ entries }) => entries.list(target))
    const rows = page.entries.map(({ receivedAt, state, eventId, type, provider, title }) => ({
      received: receivedAt,
      state,
      event: eventId,
      type,
      provider,
      title,
    }))
    printPage(context.out, page, rows)
    return 0
  },
})

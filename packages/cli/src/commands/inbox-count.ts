import { defineCommand } from '../command.ts'
import { describeCount } from '../describe-count.ts'
import { entryFilterOptions, readEntryFilter } from '../options/entry-options.ts'
import { inboxOptions, withInbox } from '../options/inbox-options.ts'

/** How many entries a filter finds. */
export const inboxCount = defineCommand({
  options: { ...entryFilterOptions, ...inboxOptions },
  examples: ['feed-receiver inbox count --state dead --json'],
  async run({ options }, context) {
    const filter = readEntryFilter(options)
    const count = await withInbox(options, context, ({ entries }) => entries.count(filter))
    context.out.result(count, describeCount(count))
    return 0
  },
})

import { quarantineReasons, quarantineStates } from '@feed-receiver/inbox'
import { defineCommand } from '../command.ts'
import { formatTable } from '../format-table.ts'
import { oneOf } from '../one-of.ts'
import { inboxOptions, withInbox } from '../open-inbox.ts'
import { pageOptions, readPage } from '../page-options.ts'

/** One page of quarantine. */
export const inboxQuarantineList = defineCommand({
  options: {
    state: { type: 'string', value: 'state', help: `${quarantineStates.join(', ')} or all (open)` },
    reason: { type: 'string', value: 'reason', help: quarantineReasons.join(', ') },
    ...pageOptions,
    ...inboxOptions,
  },
  examples: ['feed-receiver inbox quarantine list --reason not_an_event'],
  async run({ options }, context) {
    const { out } = context
    const state = oneOf('state', options.state, [...quarantineStates, 'all']) ?? 'open'
    const reason = oneOf('reason', options.reason, quarantineReasons)
    const filter = { ...readPage(options), reason, state: state === 'all' ? undefined : state }
    const page = await withInbox(options, context, ({ quarantined }) => quarantined.list(filter))
    out.json(page)
    if (page.quarantined.length === 0) {
      out.note('There are none.')
      return 0
    }
    const rows = page.quarantined.map((row) => [
      row.id,
      row.state,
      row.reason,
      row.seenCount,
      row.lastSeenAt,
      row.eventId,
      row.detail,
    ])
    const head = ['id', 'state', 'reason', 'seen', 'last seen', 'event', 'detail']
    for (const line of formatTable(head, rows, out.columns)) out.line(line)
    if (page.next !== null) out.note(`There is more: add --after ${page.next}`)
    return 0
  },
})

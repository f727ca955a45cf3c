import { quarantineReasons, quarantineStates } from '@feed-receiver/inbox'
import { defineCommand } from '../command.ts'
import { pageOptions, readPage } from '../options/entry-options.ts'
import { inboxOptions, withInbox } from '../options/inbox-options.ts'
import { oneOf } from '../options/option.ts'
import { printPage } from '../output/format-table.ts'

/** One page of quarantine. */
export const inboxQuarantineList = defineCommand({
  options: {
    state: oneOf('--state <state>', `${quarantineStates.join(', ')} or all (open)`, [
      ...quarantineStates,
      'all',
    ]),
    reason: oneOf('--reason <reason>', quarantineReasons.join(', '), quarantineReasons),
    ...pageOptions,
    ...inboxOptions,
  },
  examples: ['feed-receiver inbox quarantine list --reason not_an_event'],
  async run({ options }, context) {
    const { state = 'open', reason } = options
    const filter = { ...readPage(options), reason, state: state === 'all' ? undefined : state }
    const page = await withInbox(options, context, ({ quarantined }) => quarantined.list(filter))
    const rows = page.quarantined.map((row) => ({
      id: row.id,
      state: row.state,
      reason: row.reason,
      seen: row.seenCount,
      'last seen': row.lastSeenAt,
      event: row.eventId,
      detail: row.detail,
    }))
    printPage(context.out, page, rows)
    return 0
  },
})

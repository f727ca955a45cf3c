import { fingerprintOf } from '@feed-receiver/core'
import { defineCommand } from '../command.ts'
import { describeCount } from '../describe-count.ts'
import { formatTable } from '../format-table.ts'
import { inboxOptions, withInbox } from '../open-inbox.ts'
import { parseCount } from '../parse-count.ts'

/** Which secrets have signed stored events. */
export const inboxSecrets = defineCommand({
  options: {
    days: { type: 'string', value: 'n', help: 'for how many days back to count (7)' },
    ...inboxOptions,
  },
  notes: ['Where FEED_SIGNING_SECRET is set, its row says so.'],
  async run({ options }, context) {
    const { out, env } = context
    const days = parseCount('--days', options.days ?? '7')
    const uses = await withInbox(options, context, (inbox) => inbox.secrets({ days }))
    const current = fingerprintOf(env['FEED_SIGNING_SECRET'] ?? '')
    const shown = uses.map((use) => ({ ...use, isInEnvironment: use.fingerprint === current }))
    out.json({ secrets: shown })
    const rows = shown.map((use) => [
      use.fingerprint,
      use.firstSignedAt,
      use.lastSignedAt,
      describeCount(use.recent),
      use.canBeRemoved ? 'yes' : 'no',
      use.isInEnvironment ? 'FEED_SIGNING_SECRET' : '',
    ])
    const head = ['secret', 'first', 'last', `in ${days} days`, 'can be removed', 'is']
    for (const line of formatTable(head, rows, out.columns)) out.line(line)
    return 0
  },
})

import type { RefusalRow } from '@feed-receiver/inbox'
import { defineCommand } from '../command.ts'
import { inboxOptions, withInbox } from '../options/inbox-options.ts'
import { parsed } from '../options/option.ts'
import { parseCount } from '../options/values.ts'
import { formatTable } from '../output/format-table.ts'

export const inboxRefusals = defineCommand('inbox refusals', {
  options: { hours: parsed(parseCount), ...inboxOptions },
  async run({ options }, context) {
    const { out } = context
    const { hours = 24 } = options
    const { refusals, warnings } = await withInbox(options, context, async (inbox) => ({
      refusals: await inbox.refusals({ hours }),
      warnings: (await inbox.health()).warnings,
    }))
    const paused = warnings.find(({ code }) => code === 'deliveries_rejected')
    const rows = refusals.map(toRow)
    const fixes = refusals.map(({ reason, fix }) => `${reason}: ${fix}`)
    out.result(
      { refusals, isProbablyPaused: paused !== undefined },
      ...(paused ? [paused.message] : []),
      ...formatTable(rows, out.columns),
      ...fixes,
    )
    if (rows.length === 0) out.hint('No delivery was rejected.')
    return paused ? 1 : 0
  },
})

function toRow({ reason, status, sender, count, lastAt, cause }: RefusalRow) {
  return {
    reason,
    status,
    'the service': sender === 'pause' ? 'pauses' : 'retries',
    count,
    last: lastAt,
    cause,
  }
}

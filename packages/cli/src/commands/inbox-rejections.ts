import type { RejectionRow } from '@feed-receiver/inbox'
import { defineCommand } from '../command.ts'
import { inboxOptions, withInbox } from '../options/inbox-options.ts'
import { integer } from '../options/option.ts'
import { formatTable } from '../output/format-table.ts'

export const inboxRejections = defineCommand({
  options: { hours: integer('--hours <n>', 'hours to look back (24)'), ...inboxOptions },
  notes: `
    The inbox stores only counts of rejected deliveries, and no content. Exit code 1 means that the
    feed is probably paused: the service got a status that pauses it. Requests that anybody can
    send, such as one with an unknown signature, count only if push also misses events or is silent
    for longer than usual.
  `,
  examples: ['feed-receiver inbox rejections --hours 168'],
  async run({ options }, context) {
    const { out } = context
    const { hours = 24 } = options
    const { rejections, warnings } = await withInbox(options, context, async (inbox) => ({
      rejections: await inbox.rejections({ hours }),
      warnings: (await inbox.health()).warnings,
    }))
    const paused = warnings.find(({ code }) => code === 'deliveries_rejected')
    const rows = rejections.map(toRow)
    const fixes = rejections.map(({ reason, fix }) => `${reason}: ${fix}`)
    out.result(
      { rejections, isProbablyPaused: paused !== undefined },
      ...(paused ? [paused.message] : []),
      ...formatTable(rows, out.columns),
      ...fixes,
    )
    if (rows.length === 0) out.hint('No delivery was rejected.')
    return paused ? 1 : 0
  },
})

function toRow({ reason, status, sender, count, lastAt, cause }: RejectionRow) {
  return {
    reason,
    status,
    'the service': sender === 'pause' ? 'pauses' : 'retries',
    count,
    last: lastAt,
    cause,
  }
}

import type { GapCounts, StreamGapRow } from '@feed-receiver/inbox'
import { defineCommand } from '../command.ts'
import { describeCount } from '../describe-count.ts'
import { formatDetails, formatTable } from '../format-table.ts'
import { oneOf } from '../one-of.ts'
import { inboxOptions, withInbox } from '../open-inbox.ts'
import { pageOptions, readPage } from '../page-options.ts'

/** What one way has brought and the other has not. */
export const inboxGaps = defineCommand({
  options: {
    kind: {
      type: 'string',
      value: 'kind',
      help: 'missed: what the rules should have pushed; pull_only: all that only pull brought (missed)',
    },
    ...pageOptions,
    ...inboxOptions,
  },
  notes: [
    'An event counts once pushing could no longer have come. Without a poller there is nothing to see.\n' +
      'Exit code 1 means that the destination is probably paused.',
  ],
  examples: ['feed-receiver inbox gaps', 'feed-receiver inbox gaps --kind pull_only --json'],
  async run({ options }, context) {
    const { out } = context
    const kind = oneOf('kind', options.kind, ['missed', 'pull_only'] as const)
    const paging = readPage(options)
    const { counts, page, streams } = await withInbox(options, context, async ({ gaps }) => ({
      counts: await gaps.count(),
      page: await gaps.list({ ...paging, ...(kind && { kind }) }),
      streams: await gaps.streams(),
    }))
    out.json({ ...counts, ...page, streams })
    for (const line of describeCounts(counts, streams)) out.line(line)
    const rows = page.gaps.map((row) => [
      row.eventId,
      row.type,
      row.provider,
      row.pulledAt,
      row.title,
    ])
    const head = ['event', 'type', 'provider', 'pulled', 'title']
    if (rows.length > 0) for (const line of formatTable(head, rows, out.columns)) out.line(line)
    if (page.next !== null) out.note(`There is more: add --after ${page.next}`)
    return counts.probablePause === null ? 0 : 1
  },
})

function describeCounts(
  { missed, pullOnly, probablePause }: GapCounts,
  streams: readonly StreamGapRow[],
): string[] {
  return formatDetails({
    missed: describeCount(missed),
    'only by pull': describeCount(pullOnly),
    'lost cursors': streams.length,
    'probably paused': probablePause
      ? `yes: nothing was pushed since ${probablePause.lastPushAt ?? 'the beginning'}; a test delivery ` +
        'from the dashboard of the service activates the destination again'
      : 'no',
  })
}

import { defineCommand } from '../command.ts'
import { describeCount } from '../describe-count.ts'
import { pageOptions, readPage } from '../options/entry-options.ts'
import { inboxOptions, withInbox } from '../options/inbox-options.ts'
import { oneOf } from '../options/option.ts'
import { formatDetails, formatTable } from '../output/format-table.ts'

/** What one way has brought and the other has not. */
export const inboxGaps = defineCommand({
  options: {
    kind: oneOf(
      '--kind <kind>',
      'missed: what the rules should have pushed; pull_only: all that only pull brought (missed)',
      ['missed', 'pull_only'],
    ),
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
    const { kind } = options
    const found = await withInbox(options, context, async ({ gaps }) => ({
      ...(await gaps.count()),
      ...(await gaps.list({ ...readPage(options), ...(kind && { kind }) })),
      streams: await gaps.streams(),
    }))
    const { missed, pullOnly, probablePause, gaps, next, streams } = found
    const lastPush = probablePause?.lastPushAt ?? 'the beginning'
    const details = formatDetails({
      missed: describeCount(missed),
      'only by pull': describeCount(pullOnly),
      'lost cursors': streams.length,
      'probably paused': probablePause
        ? `yes: nothing was pushed since ${lastPush}; a test delivery from the dashboard of the ` +
          'service activates the destination again'
        : 'no',
    })
    const rows = gaps.map(({ eventId, type, provider, pulledAt, title }) => ({
      event: eventId,
      type,
      provider,
      pulled: pulledAt,
      title,
    }))
    out.result(found, ...details, ...formatTable(rows, out.columns))
    if (next !== null) out.note(`There is more: add --after ${next}`)
    return probablePause === null ? 0 : 1
  },
})

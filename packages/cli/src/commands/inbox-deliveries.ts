import { fingerprintOf } from '@feed-receiver/core'
import { defineCommand } from '../command.ts'
import { pageOptions } from '../options/entry-options.ts'
import { inboxOptions, withInbox } from '../options/inbox-options.ts'
import { integer, oneOf } from '../options/option.ts'
import { secretName } from '../options/secret-options.ts'
import { formatDetails, formatSections, formatTable } from '../output/format-table.ts'
import { describeCount, many, numeral, present } from '../output/words.ts'

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
    const rows = rejections.map(({ reason, status, sender, count, lastAt, cause }) => ({
      reason,
      status,
      'the service': sender === 'pause' ? 'pauses' : 'retries',
      count,
      last: lastAt,
      cause,
    }))
    const fixes = rejections.map(({ reason, fix }) => `${reason}: ${fix}`)
    const lines = present(paused?.message, ...formatTable(rows, out.columns), ...fixes)
    out.result({ rejections, isProbablyPaused: paused !== undefined }, ...lines)
    if (rows.length === 0) {
      out.hint(
        `No rejected delivery is stored in the last ${hours} h. While the database is down or its disk is full, apps count them in memory.`,
      )
    }
    return paused ? 1 : 0
  },
})

export const inboxGaps = defineCommand({
  options: {
    kind: oneOf(
      '--kind <kind>',
      'missed: events that push should have delivered; pull_only: all events that only pull found (missed)',
      ['missed', 'pull_only'],
    ),
    ...pageOptions,
    ...inboxOptions,
  },
  notes: `
    An event counts once push can no longer deliver it. Without a poller there is nothing to
    compare. Exit code 1 means that the destination is probably paused.
  `,
  examples: ['feed-receiver inbox gaps', 'feed-receiver inbox gaps --kind pull_only --json'],
  async run({ options }, context) {
    const { out } = context
    const { kind = 'missed', limit = 50 } = options
    const found = await withInbox(options, context, async ({ gaps }) => ({
      ...(await gaps.count()),
      ...(await gaps.list({ ...options, kind, limit })),
      streams: await gaps.streams(),
    }))
    const { missed, pullOnly, probablePause, gaps, next, streams } = found
    const lastPush = probablePause?.lastPushAt ?? 'the start'
    const details = formatDetails({
      missed: describeCount(missed),
      'only by pull': describeCount(pullOnly),
      'lost cursors': numeral(streams.length),
      'probably paused': probablePause
        ? `yes: no push since ${lastPush}; send a test delivery from the dashboard of the service ` +
          'to resume the destination'
        : 'no',
    })
    const rows = gaps.map(({ eventId, type, provider, pulledAt, title }) => ({
      event: eventId,
      type,
      provider,
      pulled: pulledAt,
      title,
    }))
    const lost = streams.map(({ stream, since, until, code }) => ({ stream, since, until, code }))
    out.result(
      found,
      ...details,
      ...formatTable(rows, out.columns),
      ...formatSections([
        ['Events may be missing since a lost cursor:', formatTable(lost, out.columns)],
      ]),
    )
    if (next !== null) out.hint(`More rows: add --after ${next}`)
    return probablePause === null ? 0 : 1
  },
})

const names = [secretName, `${secretName}_NEXT`]

export const inboxSecrets = defineCommand({
  options: { days: integer('--days <n>', 'days to count back (7)'), ...inboxOptions },
  notes: `
    The last column names FEED_SIGNING_SECRET and FEED_SIGNING_SECRET_NEXT. You can remove a secret
    once another has signed and it has signed nothing since. Wait 24 hours after a rotation, because
    the service still signs with the old secret.
  `,
  async run({ options }, context) {
    const { out, env } = context
    const { days = 7 } = options
    const uses = await withInbox(options, context, (inbox) => inbox.secrets({ days }))
    const variableOf = ({ fingerprint }: { fingerprint: string }) =>
      names.find((name) => fingerprintOf(env[name] ?? '') === fingerprint)
    const secrets = uses.map((use) => ({ ...use, isInEnvironment: variableOf(use) !== undefined }))
    const rows = uses.map((use) => ({
      secret: use.fingerprint,
      first: use.firstSignedAt,
      last: use.lastSignedAt,
      [`in ${many(days, 'day')}`]: describeCount(use.recent),
      'can be removed': use.canBeRemoved ? 'yes' : 'no',
      variable: variableOf(use) ?? '',
    }))
    out.result({ secrets }, ...formatTable(rows, out.columns))
    if (uses.some(({ canBeRemoved }) => canBeRemoved)) {
      out.note(
        'Wait 24 hours after a rotation before you remove a secret, because the service still signs with it.',
      )
    }
  },
})

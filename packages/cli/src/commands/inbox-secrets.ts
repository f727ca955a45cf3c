import { fingerprintOf } from '@feed-receiver/core'
import { defineCommand } from '../command.ts'
import { describeCount } from '../describe-count.ts'
import { formatTable } from '../format-table.ts'
import { inboxOptions, withInbox } from '../open-inbox.ts'
import { parseCount } from '../parse-count.ts'

const names = ['FEED_SIGNING_SECRET', 'FEED_SIGNING_SECRET_NEXT']

const notBefore =
  'Remove no secret within 24 hours of its rotation: the service still signs with it.'

/** Which secrets have signed stored events. */
export const inboxSecrets = defineCommand({
  options: {
    days: { type: 'string', value: 'n', help: 'for how many days back to count (7)' },
    ...inboxOptions,
  },
  notes: [
    'The rows of FEED_SIGNING_SECRET and FEED_SIGNING_SECRET_NEXT say so. A secret can be removed once\n' +
      'another has signed and it has signed nothing since; but not within 24 hours of a rotation, in\n' +
      'which the service still signs with the old one.',
  ],
  async run({ options }, context) {
    const { out, env } = context
    const days = parseCount('--days', options.days ?? '7')
    const uses = await withInbox(options, context, (inbox) => inbox.secrets({ days }))
    const nameOf = ({ fingerprint }: { fingerprint: string }) =>
      names.find((name) => fingerprintOf(env[name] ?? '') === fingerprint)
    const shown = uses.map((use) => ({ ...use, isInEnvironment: nameOf(use) !== undefined }))
    out.json({ secrets: shown })
    const rows = shown.map((use) => [
      use.fingerprint,
      use.firstSignedAt,
      use.lastSignedAt,
      describeCount(use.recent),
      use.canBeRemoved ? 'yes' : 'no',
      nameOf(use) ?? '',
    ])
    const head = ['secret', 'first', 'last', `in ${days} days`, 'can be removed', 'is']
    for (const line of formatTable(head, rows, out.columns)) out.line(line)
    if (uses.some(({ canBeRemoved }) => canBeRemoved)) out.note(notBefore)
    return 0
  },
})

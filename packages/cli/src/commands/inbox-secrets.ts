import { fingerprintOf } from '@feed-receiver/core'
import { defineCommand } from '../command.ts'
import { describeCount } from '../describe-count.ts'
import { inboxOptions, withInbox } from '../options/inbox-options.ts'
import { parsed } from '../options/option.ts'
import { secretName } from '../options/secret-options.ts'
import { parseCount } from '../options/values.ts'
import { formatTable } from '../output/format-table.ts'

const names = [secretName, `${secretName}_NEXT`]

/** Which secrets have signed stored events. */
export const inboxSecrets = defineCommand({
  options: {
    days: parsed('--days <n>', 'for how many days back to count (7)', parseCount),
    ...inboxOptions,
  },
  notes: [
    'The rows of FEED_SIGNING_SECRET and FEED_SIGNING_SECRET_NEXT say so. A secret can be removed once\n' +
      'another has signed and it has signed nothing since; but not within 24 hours of a rotation, in\n' +
      'which the service still signs with the old one.',
  ],
  async run({ options }, context) {
    const { out, env } = context
    const { days = 7 } = options
    const uses = await withInbox(options, context, (inbox) => inbox.secrets({ days }))
    const nameOf = ({ fingerprint }: { fingerprint: string }) =>
      names.find((name) => fingerprintOf(env[name] ?? '') === fingerprint)
    const secrets = uses.map((use) => ({ ...use, isInEnvironment: nameOf(use) !== undefined }))
    const rows = uses.map((use) => ({
      secret: use.fingerprint,
      first: use.firstSignedAt,
      last: use.lastSignedAt,
      [`in ${days} days`]: describeCount(use.recent),
      'can be removed': use.canBeRemoved ? 'yes' : 'no',
      is: nameOf(use) ?? '',
    }))
    out.result({ secrets }, ...formatTable(rows, out.columns))
    if (uses.some(({ canBeRemoved }) => canBeRemoved)) {
      out.note('Remove no secret within 24 hours of its rotation: the service still signs with it.')
    }
    return 0
  },
})

import { defineCommand } from '../command.ts'
import { confirm, confirmOptions } from '../confirm.ts'
import { inboxOptions, withInbox } from '../open-inbox.ts'
import { parseCount } from '../parse-count.ts'

/** Empties old bytes. */
export const inboxPrune = defineCommand({
  options: {
    days: { type: 'string', value: 'n', help: 'for how many days bytes are kept (90)' },
    ...confirmOptions,
    ...inboxOptions,
  },
  notes: [
    'Ids and hashes stay, so that a late repeat is still a duplicate. Emptied bytes are gone.',
  ],
  async run({ options }, context) {
    const { out, signal } = context
    const days = parseCount('--days', options.days ?? '90', 0)
    const question = `Empty the bytes of entries that ended more than ${days} days ago?`
    if (!(await confirm(question, options.yes, context))) {
      out.note('Nothing was changed.')
      return 1
    }
    const pruned = await withInbox(options, context, (inbox) =>
      inbox.prune({ bytesAfterDays: days, signal }),
    )
    out.json({ pruned })
    out.line(`${pruned} emptied.`)
    return signal.aborted ? 130 : 0
  },
})

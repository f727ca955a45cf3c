import { defineCommand } from '../command.ts'
import { confirm, confirmOptions } from '../options/confirm.ts'
import { inboxOptions, withInbox } from '../options/inbox-options.ts'
import { parsed } from '../options/option.ts'
import { parseCount } from '../options/values.ts'

/** Empties old bytes. */
export const inboxPrune = defineCommand({
  options: {
    days: parsed('--days <n>', 'for how many days bytes are kept (90)', (text, name) =>
      parseCount(text, name, 0),
    ),
    ...confirmOptions,
    ...inboxOptions,
  },
  notes: [
    'Ids and hashes stay, so that a late repeat is still a duplicate. Emptied bytes are gone.',
  ],
  async run({ options }, context) {
    const { out, signal } = context
    const { days = 90 } = options
    const question = `Empty the bytes of entries that ended more than ${days} days ago?`
    if (!(await confirm(question, options.yes, context))) {
      out.note('Nothing was changed.')
      return 1
    }
    const pruned = await withInbox(options, context, (inbox) =>
      inbox.prune({ bytesAfterDays: days, signal }),
    )
    out.result({ pruned }, `${pruned} emptied.`)
    return signal.aborted ? 130 : 0
  },
})

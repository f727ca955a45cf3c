import { splitInbox } from '@feed-receiver/inbox'
import { defineCommand } from '../command.ts'
import { confirm } from '../options/confirm.ts'
import { openChosen } from '../options/inbox-options.ts'
import { flag, text } from '../options/option.ts'

export const inboxSplit = defineCommand('inbox split', {
  options: { yes: flag, database: text, schema: text },
  async run({ options }, context) {
    const { schema = 'feed_inbox', yes } = options
    const question = `Move the queue of ${schema} into ${schema}_queue, for an older version?`
    if (!(await confirm(question, yes, context))) {
      context.out.note('Nothing was changed.')
      return 1
    }
    await using database = openChosen(options, context)
    await splitInbox({ database, schema })
    context.out.result({ schema, queue: `${schema}_queue` }, `The queue is in ${schema}_queue now.`)
    return 0
  },
})

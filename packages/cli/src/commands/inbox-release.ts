import { defineCommand } from '../command.ts'
import { settleOptions } from '../options/entry-options.ts'
import { inboxOptions, withInbox } from '../options/inbox-options.ts'
import { parseCount } from '../options/values.ts'

/** Takes a delivery out of quarantine and stores its event. */
export const inboxRelease = defineCommand({
  options: { ...settleOptions, ...inboxOptions },
  async run({ operands: [text = ''], options }, context) {
    const id = parseCount(text, 'The row')
    const { by } = options
    const result = await withInbox(options, context, ({ quarantined }) =>
      quarantined.release(id, { by }),
    )
    context.out.result({ id, result }, `Row ${id} is released: its event is ${result}.`)
    return 0
  },
})

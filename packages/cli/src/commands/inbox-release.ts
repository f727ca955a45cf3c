import { defineCommand } from '../command.ts'
import { inboxOptions, withInbox } from '../open-inbox.ts'
import { parseCount } from '../parse-count.ts'
import { settleOptions } from '../settle-options.ts'

/** Takes a delivery out of quarantine and stores its event. */
export const inboxRelease = defineCommand({
  count: [1, 1],
  options: { ...settleOptions, ...inboxOptions },
  async run({ operands: [text = ''], options }, context) {
    const id = parseCount('The row', text)
    const { by } = options
    const result = await withInbox(options, context, ({ quarantined }) =>
      quarantined.release(id, { by }),
    )
    context.out.json({ id, result })
    context.out.line(`Row ${id} is released: its event is ${result}.`)
    return 0
  },
})

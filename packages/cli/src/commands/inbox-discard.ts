import { defineCommand } from '../command.ts'
import { inboxOptions, withInbox } from '../open-inbox.ts'
import { parseCount } from '../parse-count.ts'
import { settleOptions } from '../settle-options.ts'

/** Marks a delivery in quarantine as dealt with. */
export const inboxDiscard = defineCommand({
  count: [1, 1],
  options: { ...settleOptions, ...inboxOptions },
  async run({ operands: [text = ''], options }, context) {
    const id = parseCount('The row', text)
    const { by } = options
    await withInbox(options, context, ({ quarantined }) => quarantined.discard(id, { by }))
    context.out.json({ id, result: 'discarded' })
    context.out.line(`Row ${id} is discarded; its bytes are kept.`)
    return 0
  },
})

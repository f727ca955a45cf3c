import { defineCommand } from '../command.ts'
import { settleOptions } from '../options/entry-options.ts'
import { inboxOptions, withInbox } from '../options/inbox-options.ts'
import { parseCount } from '../options/values.ts'

/** Marks a delivery in quarantine as dealt with. */
export const inboxDiscard = defineCommand({
  options: { ...settleOptions, ...inboxOptions },
  async run({ operands: [text = ''], options }, context) {
    const id = parseCount(text, 'The row')
    const { by } = options
    await withInbox(options, context, ({ quarantined }) => quarantined.discard(id, { by }))
    context.out.result({ id, result: 'discarded' }, `Row ${id} is discarded; its bytes are kept.`)
    return 0
  },
})

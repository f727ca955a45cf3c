import { auditTables, createAudit } from '@feed-receiver/operate/audit'
import { defineCommand } from '../command.ts'
import { confirm } from '../options/confirm.ts'
import { inboxOptions, withShards } from '../options/inbox-options.ts'
import { flag, integer } from '../options/option.ts'
import { many, present } from '../output/words.ts'
import { createAlertReader } from '../read-alerts.ts'

export const inboxPrune = defineCommand({
  options: {
    days: integer('--days <n>', 'days to keep the content (90)', { least: 0 }),
    rowsDays: integer('--rows-days <n>', 'days after which entries are deleted (never)', {
      least: 0,
    }),
    dryRun: flag('--dry-run', 'only count what would be deleted'),
    yes: flag('-y, --yes', 'skip the confirmation; required without a terminal'),
    ...inboxOptions,
  },
  notes: `
    The ids and hashes stay, so a late duplicate is still recognized. Deleted content cannot be
    restored. A duplicate of a deleted entry counts as new. Pending and dead entries stay complete,
    and the newest 1,000 entries are never deleted.
  `,
  async run({ options }, context) {
    const { out, signal } = context
    const { days = 90, rowsDays: rowsAfterDays, dryRun = false } = options
    const question = present(
      rowsAfterDays !== undefined &&
        `Delete entries that were handled more than ${many(rowsAfterDays, 'day')} ago?`,
      `Delete the content of entries that were handled more than ${many(days, 'day')} ago?`,
    ).join(' ')
    if (!dryRun && !(await confirm(question, options.yes, context))) return 1
    const pruned = await withShards(
      options,
      context,
      ({ inbox }) => inbox.prune({ bytesAfterDays: days, rowsAfterDays, dryRun, signal }),
      [{ name: auditTables.name, add: createAudit }, createAlertReader().extension],
    )
    const { emptied, deleted } = pruned
    const verb = dryRun ? 'would be deleted' : 'deleted'
    const line = rowsAfterDays === undefined ? '' : `${many(deleted, 'entry')} ${verb}. `
    const counts = dryRun ? { wouldEmpty: emptied, wouldDelete: deleted } : pruned
    out.result(counts, `${line}Content of ${many(emptied, 'entry')} ${verb}.`)
    return signal.aborted ? 130 : 0
  },
})

import type { RetryTarget } from '@feed-receiver/inbox'
import { defineCommand } from '../command.ts'
import { CliError } from '../errors.ts'
import { confirm, confirmOptions } from '../options/confirm.ts'
import { entryFilterOptions, readEntryFilter, settleOptions } from '../options/entry-options.ts'
import { inboxOptions, withInbox } from '../options/inbox-options.ts'
import { flag } from '../options/option.ts'

/** Gives dead and skipped entries to their handlers again. */
export const inboxRetry = defineCommand({
  options: {
    ...entryFilterOptions,
    dryRun: flag('--dry-run', 'only say how many there are'),
    ...settleOptions,
    ...confirmOptions,
    ...inboxOptions,
  },
  notes: [
    'Without ids it takes the dead entries that the filter finds, or the skipped ones with\n' +
      '--state skipped. The worker of the app handles them; this command runs no handler. Exit code 1\n' +
      'means that some of the ids were not queued.',
  ],
  examples: ['feed-receiver inbox retry --provider northwind-ai --dry-run'],
  async run({ operands: ids, options }, context) {
    const { out, signal } = context
    const { by, dryRun, yes } = options
    const filter = readEntryFilter(options)
    const hasFilter = Object.values(filter).some((value) => value !== undefined)
    if (ids.length > 0 && hasFilter) {
      throw new CliError('usage', 'Give event ids or a filter, not both.')
    }
    const target: RetryTarget = ids.length > 0 ? { ids } : { filter }
    return await withInbox(options, context, async ({ entries }) => {
      const found = await entries.retry(target, { dryRun: true })
      if (dryRun) {
        out.result({ wouldRetry: found }, `${found} would be queued again.`)
        return 0
      }
      const question = `Queue ${found} ${found === 1 ? 'entry' : 'entries'} again?`
      if (found > 0 && !(await confirm(question, yes, context))) {
        out.note('Nothing was changed.')
        return 1
      }
      const onProgress = (done: number) => out.progress(`${done} of ${found} queued again …`)
      const retried = found === 0 ? 0 : await entries.retry(target, { by, onProgress, signal })
      out.result({ retried }, `${retried} queued again.`)
      if (signal.aborted) return 130
      const isShort = retried < new Set(ids).size
      if (retried === 0 || isShort) {
        out.note('Only dead and skipped entries with their bytes can be retried.')
      }
      return isShort ? 1 : 0
    })
  },
})

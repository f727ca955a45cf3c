import type { Entries, ListedState, RetryTarget } from '@feed-receiver/inbox'
import { defineCommand, type Context } from '../command.ts'
import { UsageError } from '../errors.ts'
import { confirm } from '../options/confirm.ts'
import { entryFilterOptions, readEntryTarget } from '../options/entry-options.ts'
import { inboxOptions, withInbox } from '../options/inbox-options.ts'
import { flag, oneOf, parsed, text } from '../options/option.ts'
import { parseTime } from '../options/values.ts'
import { describeCount, describeEntries, many, numeral } from '../output/words.ts'
import { reportUnknown, stateOf } from './inbox-entries.ts'

/** The maximum number of ids for which the output explains why they are left out. */
const maxReported = 20

const retryable = ['dead', 'skipped', 'failing'] as const
const reprocessable = ['done', 'skipped'] as const

const requeueOptions = {
  ...entryFilterOptions,
  dryRun: flag('--dry-run', 'only count the entries'),
  by: text('--by <name>', 'your name, recorded with the time'),
  yes: flag('-y, --yes', 'skip the confirmation; required without a terminal'),
  ...inboxOptions,
}

export const inboxRetry = defineCommand({
  options: {
    ...requeueOptions,
    state: oneOf('--state <state>', `state of the entries: ${retryable.join(', ')}`, retryable),
  },
  notes: `
    Without ids, the command requeues the dead entries that match the filter, or the skipped ones
    with --state skipped. With --state failing, and for the id of a failing entry, the next attempt
    is due now instead of after its backoff. --error without --state means both dead and failing
    entries. The worker of the app handles them; the command itself
    runs no handler. Exit code 1 means that some of the ids were not requeued.
  `,
  examples: ['feed-receiver inbox retry --provider northwind-ai --dry-run'],
  async run({ operands: ids, options }, context) {
    const { out, signal } = context
    const { by, dryRun, yes } = options
    const target = readEntryTarget(ids, options)
    return await withInbox(options, context, async ({ entries }) => {
      const found = await entries.retry(target, { dryRun: true })
      if (found === 0 && 'filter' in target) await reportUnknown(entries, target.filter, context)
      if (found < ids.length) await reportLeftOut(entries, ids, retryable, context)
      if (options.state === undefined && options.error === undefined) {
        await reportFailing(entries, target, context)
      }
      if (dryRun) {
        out.result({ wouldRetry: found }, `${many(found, 'entry')} would be requeued.`)
        return 0
      }
      const question = `Requeue ${many(found, 'entry')}?`
      if (found > 0 && !(await confirm(question, yes, context))) return 1
      const onProgress = (done: number) =>
        out.progress(`${numeral(done)} of ${numeral(found)} requeued …`)
      const retried = found === 0 ? 0 : await entries.retry(target, { by, onProgress, signal })
      out.result({ retried }, `${many(retried, 'entry')} requeued.`)
      const only = 'Only dead, skipped and failing entries with content can be retried.'
      return endWith(retried, ids, only, context)
    })
  },
})

export const inboxReprocess = defineCommand({
  options: {
    ...requeueOptions,
    state: oneOf(
      '--state <state>',
      `state of the entries: ${reprocessable.join(', ')}`,
      reprocessable,
    ),
    effects: oneOf(
      '--effects <keep|again>',
      'keep: reuse the stored results of effects.once; again: run the effects again (keep)',
      ['keep', 'again'],
    ),
    handledBefore: parsed(
      '--handled-before <time>',
      'only entries handled before this time; continues an interrupted reprocessing (now)',
      parseTime,
    ),
  },
  notes: `
    Give event ids or a filter. A filter selects done and skipped entries, or only one of these
    states with --state. The worker of the app handles them with reprocess: true; the command itself
    runs no handler. It prints the time to use as --handled-before if it is interrupted. Exit code 1
    means that some of the ids were not requeued.

    To deliver recorded events to a receiver, use: feed-receiver replay
  `,
  examples: [
    'feed-receiver inbox reprocess --type outage_started --since 2d --dry-run',
    'feed-receiver inbox reprocess --min-revision 2 --effects again --by ada',
  ],
  async run({ operands: ids, options }, context) {
    const { out, signal } = context
    const { by, dryRun, yes, effects = 'keep' } = options
    const target = readEntryTarget(ids, options)
    const isAll = 'filter' in target && Object.keys(target.filter).length === 0
    if (isAll)
      throw new UsageError(
        'This would reprocess every event in the inbox. Give event ids or a filter, such as --type outage_started or --since 2d.',
      )
    return await withInbox(options, context, async ({ entries }) => {
      const limits = { effects, handledBefore: options.handledBefore }
      const found = await entries.reprocess(target, { ...limits, dryRun: true })
      const { reprocessed: count, isExact, emptied, handledBefore } = found
      const counted = describeEntries({ count, isExact })
      if (emptied > 0)
        out.note(
          `${numeral(emptied)} more cannot be reprocessed, because prune deleted their content.`,
        )
      if (count === 0 && 'filter' in target) await reportUnknown(entries, target.filter, context)
      if (count < ids.length) await reportLeftOut(entries, ids, reprocessable, context)
      if (dryRun) {
        const shown = { wouldReprocess: count, isExact, emptied, handledBefore }
        out.result(shown, `${counted} would be handled again.`)
        return 0
      }
      const more = effects === 'again' ? ' Their effects run again, too.' : ''
      const question = `Handle ${counted} again?${more}`
      if (count > 0 && !(await confirm(question, yes, context))) return 1
      const goOn = `run the same command with --handled-before ${handledBefore}`
      if (count > 0) out.note(`If this is interrupted, ${goOn}`)
      const onProgress = (done: number) => out.progress(`${numeral(done)} of ${counted} requeued …`)
      const wanted = { effects, handledBefore, by, onProgress, signal }
      const reprocessed = count === 0 ? 0 : (await entries.reprocess(target, wanted)).reprocessed
      out.result({ reprocessed, emptied, handledBefore }, `${many(reprocessed, 'entry')} requeued.`)
      const only =
        count === 0 && options.handledBefore
          ? `Nothing is left: no matching entry was handled before ${handledBefore}.`
          : 'Only done and skipped entries with content can be reprocessed.'
      return endWith(reprocessed, ids, only, context)
    })
  },
})

async function reportFailing(
  entries: Entries,
  target: RetryTarget,
  { out }: Context,
): Promise<void> {
  if ('ids' in target) return
  const failing = await entries.count({ ...target.filter, state: 'failing' })
  if (failing.count === 0) return
  out.note(
    `Failing entries left out: ${describeCount(failing)}. Add --state failing to retry them now.`,
  )
}

/** Prints which ids do not exist, and the states of the other ids that are left out. */
async function reportLeftOut(
  entries: Entries,
  ids: readonly string[],
  states: readonly ListedState[],
  { out }: Context,
): Promise<void> {
  const named = [...new Set(ids)]
  for (const id of named.slice(0, maxReported)) {
    const entry = await entries.get(id)
    const shown = JSON.stringify(id)
    if (!entry) out.note(`No entry has the event id ${shown}.`)
    else if (entry.type === 'destination_test') {
      out.note(`${shown} is a test delivery (destination_test), which reaches no handler.`)
    } else if (!states.includes(stateOf(entry))) out.note(`${shown} is ${stateOf(entry)}.`)
    else if (!entry.event) out.note(`${shown} has no content, because prune deleted it.`)
  }
}

/** The exit code. Prints a note if ids were left out. */
function endWith(count: number, ids: string[], only: string, { out, signal }: Context): number {
  if (signal.aborted) return 130
  const isShort = count < new Set(ids).size
  if (count === 0 || isShort) out.note(only)
  return isShort ? 1 : 0
}

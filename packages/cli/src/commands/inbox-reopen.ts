import type { Entries, EntryFilter, RetryTarget } from '@feed-receiver/inbox'
import { defineCommand, type Context } from '../command.ts'
import { problem } from '../errors.ts'
import { confirm } from '../options/confirm.ts'
import { entryFilterOptions, readEntryFilter } from '../options/entry-options.ts'
import { inboxOptions, withInbox } from '../options/inbox-options.ts'
import { didYouMean, flag, oneOf, parsed, text, type Values } from '../options/option.ts'
import { parseTime } from '../options/values.ts'
import { describeCount } from '../output/format-table.ts'

const reopenOptions = {
  ...entryFilterOptions,
  dryRun: flag,
  by: text,
  yes: flag,
  ...inboxOptions,
}

export const inboxRetry = defineCommand('inbox retry', {
  options: reopenOptions,
  async run({ operands: ids, options }, context) {
    const { out, signal } = context
    const { by, dryRun, yes } = options
    const target = readTarget(ids, options)
    return await withInbox(options, context, async ({ entries }) => {
      const found = await entries.retry(target, { dryRun: true })
      if (found === 0) await tellUnknown(entries, target, context)
      if (dryRun) {
        out.result({ wouldRetry: found }, `${found} would be queued again.`)
        return 0
      }
      const question = `Queue ${nameEntries(String(found))} again?`
      if (found > 0 && !(await isWanted(question, yes, context))) return 1
      const onProgress = (done: number) => out.progress(`${done} of ${found} queued again …`)
      const retried = found === 0 ? 0 : await entries.retry(target, { by, onProgress, signal })
      out.result({ retried }, `${retried} queued again.`)
      const only = 'Only dead and skipped entries with their bytes can be retried.'
      return endWith(retried, ids, only, context)
    })
  },
})

export const inboxReplay = defineCommand('inbox replay', {
  options: {
    ...reopenOptions,
    effects: oneOf(['keep', 'again']),
    handledBefore: parsed(parseTime),
  },
  async run({ operands: ids, options }, context) {
    const { out, signal } = context
    const { by, dryRun, yes, effects = 'keep' } = options
    const target = readTarget(ids, options)
    const isAll = 'filter' in target && Object.keys(target.filter).length === 0
    if (isAll) throw problem('usage', 'replay_of_all')
    return await withInbox(options, context, async ({ entries }) => {
      const limits = { effects, handledBefore: options.handledBefore }
      const found = await entries.replay(target, { ...limits, dryRun: true })
      const { replayed: count, isExact, emptied, handledBefore } = found
      const counted = describeCount({ count, isExact })
      if (emptied > 0) out.note(`${emptied} more cannot be replayed: their bytes were emptied.`)
      if (count === 0) await tellUnknown(entries, target, context)
      if (dryRun) {
        const shown = { wouldReplay: count, isExact, emptied, handledBefore }
        out.result(shown, `${counted} would be handled again.`)
        return 0
      }
      const more = effects === 'again' ? ' Their effects happen again, too.' : ''
      const question = `Handle ${nameEntries(counted)} again?${more}`
      if (count > 0 && !(await isWanted(question, yes, context))) return 1
      const goOn = `To go on, run it again with --handled-before ${handledBefore}`
      if (count > 0) out.note(`If this is interrupted: ${goOn}`)
      const onProgress = (done: number) => out.progress(`${done} of ${counted} queued …`)
      const wanted = { effects, handledBefore, by, onProgress, signal }
      const replayed = count === 0 ? 0 : (await entries.replay(target, wanted)).replayed
      out.result({ replayed, emptied, handledBefore }, `${replayed} queued to be handled again.`)
      const only = 'Only done and skipped entries with their bytes can be replayed.'
      return endWith(replayed, ids, only, context)
    })
  },
})

function readTarget(ids: string[], options: Values<typeof entryFilterOptions>): RetryTarget {
  const filter = readEntryFilter(options)
  const hasFilter = Object.keys(filter).length > 0
  if (ids.length > 0 && hasFilter) throw problem('usage', 'ids_and_filter')
  return ids.length > 0 ? { ids } : { filter }
}

function nameEntries(count: string): string {
  return `${count} ${count === '1' ? 'entry' : 'entries'}`
}

/** Says of a filter that finds nothing which of its words no entry has. */
async function tellUnknown(entries: Entries, target: RetryTarget, { out }: Context): Promise<void> {
  if ('ids' in target) return
  const { types, providers, categories } = await entries.facets()
  const known = { type: types, provider: providers, category: categories }
  const told = ['type', 'provider', 'category'] as const satisfies (keyof EntryFilter)[]
  for (const name of told) {
    const word = target.filter[name]
    if (word === undefined || known[name].includes(word)) continue
    // Of more than a hundred words it has a part.
    if ((await entries.count({ [name]: word }, { upTo: 1 })).count > 0) continue
    out.note(`No entry has the ${name} ${JSON.stringify(word)}.${didYouMean(word, known[name])}`)
  }
}

async function isWanted(
  question: string,
  yes: boolean | undefined,
  context: Context,
): Promise<boolean> {
  const isYes = await confirm(question, yes, context)
  if (!isYes) context.out.note('Nothing was changed.')
  return isYes
}

/** The exit code, after a word on those of the ids that were left out. */
function endWith(count: number, ids: string[], only: string, { out, signal }: Context): number {
  if (signal.aborted) return 130
  const isShort = count < new Set(ids).size
  if (count === 0 || isShort) out.note(only)
  return isShort ? 1 : 0
}

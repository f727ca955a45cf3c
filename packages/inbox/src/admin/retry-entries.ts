import type { EntryFilter } from '../entry/entry-filter.ts'
import { checkOption } from '../errors.ts'
import type { InboxContext } from '../context.ts'
import { countMatching } from './list-entries.ts'
import {
  checkHandled,
  hasContent,
  maxCounted,
  requeueEntries,
  targetConditions,
} from './requeue-entries.ts'
import { withCondition, type RequeueOptions } from './requeue-entries.ts'
import { failingAmong, retryNow } from './retry-now.ts'

/** The entries to retry: by the ids of their events, or all that match a filter. */
export type RetryTarget =
  | { ids: readonly string[] }
  | {
      /** @default state 'dead'; with an `error`, both dead and failing */
      filter: EntryFilter
    }

export interface RetryOptions extends RequeueOptions {}

/**
 * Requeues dead and skipped entries, each in one transaction with a new job, and makes failing ones
 * due now, whose next attempt may be an hour away. Returns their number. Events of the type
 * destination_test reach no handler and are left out. Of two concurrent calls only one takes an
 * entry that has ended. A dead entry that was reprocessed stays marked; any other entry is handled
 * as before.
 */
export async function retryEntries(
  context: InboxContext,
  target: RetryTarget,
  options: RetryOptions = {},
): Promise<number> {
  const { dryRun = false, by, onProgress, signal } = options
  if ('filter' in target && target.filter.error !== undefined && target.filter.state === undefined)
    return await retryError(context, target.filter, options)
  const found = await targetConditions(context, withState(target))
  const ended = withCondition(found, `state in ('dead', 'skipped')`)
  const failing = failingAmong(context, found)
  const named = 'ids' in target ? 'any' : (target.filter.state ?? 'dead')
  let count = 0
  if (dryRun) {
    const kept = withCondition(ended, hasContent(context.tables))
    if (named !== 'failing') count += (await countMatching(context, kept, maxCounted)).count
    if (isFailing(named)) count += (await countMatching(context, failing, maxCounted)).count
    return count
  }
  if (named !== 'failing') {
    count += await requeueEntries(context, ended, { kind: 'retry', by, onProgress, signal })
  }
  if (isFailing(named)) {
    const before = count
    const onMore = (more: number) => {
      if (more > 0) onProgress?.(before + more)
    }
    count += await retryNow(context, failing, { by, onProgress: onMore, signal })
  }
  return count
}

/** Retries the dead and then the failing entries with one error. */
async function retryError(
  context: InboxContext,
  filter: EntryFilter,
  options: RetryOptions,
): Promise<number> {
  const { onProgress } = options
  const dead = await retryEntries(context, { filter: { ...filter, state: 'dead' } }, options)
  const failing = await retryEntries(
    context,
    { filter: { ...filter, state: 'failing' } },
    { ...options, onProgress: (more) => onProgress?.(dead + more) },
  )
  return dead + failing
}

function isFailing(named: string): boolean {
  return named === 'any' || named === 'failing'
}

function withState(target: RetryTarget): RetryTarget {
  if ('ids' in target) return target
  const { state = 'dead' } = target.filter
  checkHandled(target.filter, 'retried')
  const isRetriable = state === 'dead' || state === 'skipped' || state === 'failing'
  const advice = state === 'done' ? ' Reprocess done entries instead.' : ''
  checkOption(isRetriable, `state: only dead, skipped and failing entries can be retried.${advice}`)
  return { filter: { ...target.filter, state } }
}

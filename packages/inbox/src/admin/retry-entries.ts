import { isFailingSql, type ListedState } from '../entry/entry-filter.ts'
import { checkOption } from '../errors.ts'
import type { InboxContext } from '../context.ts'
import { countMatching } from './list-entries.ts'
import { checkHandled, checkTarget, hasContent } from './requeue-entries.ts'
import { requeueEntries, retryNow, targetConditions, withCondition } from './requeue-entries.ts'
import type { RequeueOptions, RequeueTarget } from './requeue-entries.ts'

/** Somebody is asked whether to change as many, so it stops only where counting takes seconds. */
const maxRetriable = 1_000_000

/**
 * The entries to retry: by the ids of their events, or all that match a filter. Its default state is
 * `dead`; with an `error`, both dead and failing.
 */
export type RetryTarget = RequeueTarget

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
  { dryRun = false, onProgress, ...options }: RetryOptions = {},
): Promise<number> {
  checkTarget(target)
  let count = 0
  for (const state of statesOf(target)) {
    const isFailing = state === 'failing'
    const found = await targetConditions(context, withState(target, state))
    const isRetriable = isFailing
      ? isFailingSql(context.tables)
      : `state in ('dead', 'skipped') and ${hasContent(context.tables)}`
    const entries = withCondition(found, isRetriable)
    if (dryRun) {
      count += (await countMatching(context, entries, maxRetriable)).count
      continue
    }
    const before = count
    const onMore = (more: number) => onProgress?.(before + more)
    count += isFailing
      ? await retryNow(context, entries, { ...options, onProgress: onMore })
      : await requeueEntries(context, entries, { ...options, kind: 'retry', onProgress: onMore })
  }
  return count
}

/** The states to retry, one after the other: the entries of some ids may have any. */
function statesOf(target: RetryTarget): ListedState[] {
  if ('ids' in target) return ['dead', 'failing']
  const { state, error } = target.filter
  checkHandled(target.filter, 'retried')
  if (state === undefined) return error === undefined ? ['dead'] : ['dead', 'failing']
  const isRetriable = state === 'dead' || state === 'skipped' || state === 'failing'
  const advice = state === 'done' ? ' Reprocess done entries instead.' : ''
  checkOption(isRetriable, `state: only dead, skipped and failing entries can be retried.${advice}`)
  return [state]
}

function withState(target: RetryTarget, state: ListedState): RequeueTarget {
  return 'ids' in target ? target : { filter: { ...target.filter, state } }
}

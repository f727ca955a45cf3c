import type { EntryFilter } from '../entry/entry-filter.ts'
import { checkOption } from '../errors.ts'
import type { Place } from '../queue/queue.ts'
import { countMatching } from './list-entries.ts'
import { hasBytes, maxCounted, reopenEntries, targetConditions } from './reopen-entries.ts'
import { withCondition, type ReopenOptions } from './reopen-entries.ts'

/** Which entries to retry: by the ids of their events, or all that a filter finds. */
export type RetryTarget =
  | { ids: readonly string[] }
  | {
      /** @default state 'dead' */
      filter: EntryFilter
    }

export interface RetryOptions extends ReopenOptions {}

/**
 * Puts dead and skipped entries back to received, each in one transaction with a job of its own, and
 * gives their number. Of two calls at once only one takes an entry. A replay that died stays one; any
 * other entry is handled as it would have been.
 */
export async function retryEntries(
  place: Place,
  target: RetryTarget,
  options: RetryOptions = {},
): Promise<number> {
  const { dryRun = false, by, onProgress, signal } = options
  const found = targetConditions(place.source, withState(target))
  // An entry whose bytes retention has emptied has nothing left to hand to a handler.
  const retriable = withCondition(found, `state in ('dead', 'skipped') and ${hasBytes}`)
  if (dryRun) return (await countMatching(place, retriable, maxCounted)).count
  return await reopenEntries(place, retriable, { kind: 'retry', by, onProgress, signal })
}

function withState(target: RetryTarget): RetryTarget {
  if ('ids' in target) return target
  const { state = 'dead' } = target.filter
  const isRetriable = state === 'dead' || state === 'skipped'
  const advice = state === 'done' ? ' Replay what is done.' : ''
  checkOption(isRetriable, `state: only dead and skipped entries can be retried.${advice}`)
  return { filter: { ...target.filter, state } }
}

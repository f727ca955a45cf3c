import type { EntryFilter } from '../entry/entry-filter.ts'
import { checkOption } from '../errors.ts'
import type { Place } from '../queue/queue.ts'
import { countMatching } from './list-entries.ts'
import {
  checkHandled,
  hasContent,
  maxCounted,
  reopenEntries,
  targetConditions,
} from './reopen-entries.ts'
import { withCondition, type ReopenOptions } from './reopen-entries.ts'

/** The entries to retry: by the ids of their events, or all that match a filter. */
export type RetryTarget =
  | { ids: readonly string[] }
  | {
      /** @default state 'dead' */
      filter: EntryFilter
    }

export interface RetryOptions extends ReopenOptions {}

/**
 * Requeues dead and skipped entries, each in one transaction with a new job, and returns their
 * number. Events of the type destination_test reach no handler and are left out. Of two concurrent
 * calls only one takes an entry. A dead replay stays a replay; any other entry is handled as
 * before.
 */
export async function retryEntries(
  place: Place,
  target: RetryTarget,
  options: RetryOptions = {},
): Promise<number> {
  const { dryRun = false, by, onProgress, signal } = options
  const found = await targetConditions(place, withState(target))
  const retriable = withCondition(found, `state in ('dead', 'skipped')`)
  if (dryRun) {
    const kept = withCondition(retriable, hasContent(place.tables))
    return (await countMatching(place, kept, maxCounted)).count
  }
  return await reopenEntries(place, retriable, { kind: 'retry', by, onProgress, signal })
}

function withState(target: RetryTarget): RetryTarget {
  if ('ids' in target) return target
  const { state = 'dead' } = target.filter
  checkHandled(target.filter, 'retried')
  const isRetriable = state === 'dead' || state === 'skipped'
  const advice = state === 'done' ? ' Replay done entries instead.' : ''
  checkOption(isRetriable, `state: only dead and skipped entries can be retried.${advice}`)
  return { filter: { ...target.filter, state } }
}

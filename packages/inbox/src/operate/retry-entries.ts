import type { Tx } from '@feed-receiver/database'
import { entryConditions, type Conditions, type EntryFilter } from '../entry/entry-filter.ts'
import { checkOption } from '../errors.ts'
import { enqueueEntries } from '../queue/enqueue-entries.ts'
import type { Place } from '../queue/queue.ts'
import { countMatching } from './list-entries.ts'
import { recordOperation, type SettleOptions } from './operations.ts'
import type { PruneOptions } from './prune-bytes.ts'

/** Which entries to retry: by the ids of their events, or all that a filter finds. */
export type RetryTarget =
  | { ids: readonly string[] }
  | {
      /** @default state 'dead' */
      filter: EntryFilter
    }

export interface RetryOptions extends SettleOptions, Pick<PruneOptions, 'signal'> {
  /**
   * Only count what would be retried, up to 100,000.
   * @default false
   */
  dryRun?: boolean
  /** Told after each transaction how many have been put back by then. */
  onProgress?: ((retried: number) => void) | undefined
}

/** How many entries share one transaction. */
const batchSize = 1_000

/**
 * Puts dead and skipped entries back to received, each in one transaction with a job of its own, and
 * gives their number. Of two calls at once only one takes an entry.
 */
export async function retryEntries(
  place: Place,
  target: RetryTarget,
  options: RetryOptions = {},
): Promise<number> {
  const { dryRun = false, by, onProgress, signal } = options
  const conditions = retryConditions(place.source, target)
  if (dryRun) return (await countMatching(place, conditions, 100_000)).count
  let retried = 0
  // From one id to the next: an entry that dies again meanwhile is not retried again by this call.
  for (let behind = 0; ;) {
    if (signal?.aborted) return retried
    const ids = await place.database.tx(async (tx) => {
      const reopened = await reopenEntries(tx, place.tables.entry, conditions, behind)
      if (reopened.length === 0) return reopened
      await enqueueEntries(tx, place, reopened)
      await recordOperation(tx, place, 'retry', by, reopened)
      return reopened
    })
    retried += ids.length
    onProgress?.(retried)
    if (ids.length < batchSize) return retried
    behind = Math.max(...ids)
  }
}

function retryConditions(source: string, target: RetryTarget): Conditions {
  // An entry whose bytes retention has emptied has nothing left to hand to a handler.
  const retriable = `state in ('dead', 'skipped') and (body is not null or pull is not null)`
  if ('ids' in target) {
    const part = `source = $1 and event_id = any($2::text[]) and ${retriable}`
    return { parts: [part], values: [source, target.ids] }
  }
  const { state = 'dead', ...filter } = target.filter
  const isRetriable = state === 'dead' || state === 'skipped'
  checkOption(isRetriable, 'state: only dead and skipped entries can be retried.')
  const { parts, values } = entryConditions(source, { ...filter, state })
  return { parts: parts.map((part) => `${part} and ${retriable}`), values }
}

async function reopenEntries(
  tx: Tx,
  table: string,
  { parts, values }: Conditions,
  behind: number,
): Promise<number[]> {
  // The state is asked again under the lock: another call may have been first.
  const { rows } = await tx.query<{ id: number }>(
    `update ${table} entry set state = 'received', handled_at = null
     from (
       select id as chosen_id from ${table} where (${parts.join(' or ')}) and id > $${values.length + 1}
       order by id limit ${batchSize} for update
     ) chosen
     where id = chosen_id
     returning id`,
    [...values, behind],
  )
  return rows.map(({ id }) => id)
}

import type { Database, Queryable, Tx } from '@feed-receiver/database'
import { countUpTo } from '../entry/count-entries.ts'
import { entryConditions, type Conditions, type EntryFilter } from '../entry/entry-filter.ts'
import { InboxError } from '../errors.ts'
import { inOrderSql, orderKeySql, type EntryToQueue } from '../entry/order-key.ts'
import { recordOperation } from './record-operation.ts'
import type { Tables } from '../entry/tables.ts'

/** Which entries to retry: by the ids of their events, or all that a filter finds. */
export type RetryTarget =
  | { ids: readonly string[] }
  | {
      /** @default state 'dead' */
      filter: EntryFilter
    }

export interface RetryOptions {
  /**
   * Only count what would be retried, up to 100,000.
   * @default false
   */
  dryRun?: boolean
  /** Who does it; kept with the time. */
  by?: string | undefined
  /** Told after each transaction how many have been put back by then. */
  onProgress?: ((retried: number) => void) | undefined
  /** Stops between two transactions, once aborted; what is done stays done. */
  signal?: AbortSignal | undefined
}

export interface RetryEntriesOptions {
  tables: Tables
  source: string
  /** Queues the work of entries in the same transaction. */
  enqueue: (entries: EntryToQueue[], tx: Tx) => Promise<void>
}

/** How many entries share one transaction. */
const batchSize = 1_000

/**
 * Puts dead and skipped entries back to received, each in one transaction with a job of its own, and
 * gives their number. Of two calls at once only one takes an entry.
 */
export async function retryEntries(
  database: Database,
  target: RetryTarget,
  { dryRun = false, by, onProgress, signal }: RetryOptions,
  { tables, source, enqueue }: RetryEntriesOptions,
): Promise<number> {
  const conditions = retryConditions(source, target)
  if (dryRun) return (await countUpTo(database, tables.entry, conditions, 100_000)).count
  let retried = 0
  // From one id to the next: an entry that dies again meanwhile is not retried again by this call.
  for (let behind = 0; ;) {
    if (signal?.aborted) return retried
    const entries = await database.tx(async (tx) => {
      const reopened = await reopenEntries(tx, tables.entry, conditions, behind)
      if (reopened.length === 0) return reopened
      await enqueue(reopened, tx)
      const entryIds = reopened.map(({ id }) => id)
      await recordOperation(tx, tables, source, { kind: 'retry', by, entryIds })
      return reopened
    })
    retried += entries.length
    onProgress?.(retried)
    if (entries.length < batchSize) return retried
    behind = Math.max(...entries.map(({ id }) => id))
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
  if (state !== 'dead' && state !== 'skipped') {
    throw new InboxError('bad_option', `state: only dead and skipped entries can be retried.`)
  }
  const { parts, values } = entryConditions(source, { ...filter, state })
  return { parts: parts.map((part) => `${part} and ${retriable}`), values }
}

async function reopenEntries(
  db: Queryable,
  table: string,
  { parts, values }: Conditions,
  behind: number,
): Promise<EntryToQueue[]> {
  // The state is asked again under the lock: another call may have been first.
  const { rows } = await db.query<EntryToQueue>(
    `with reopened as (
       update ${table} entry set state = 'received', handled_at = null
       from (
         select id as chosen_id from ${table} where (${parts.join(' or ')}) and id > $${values.length + 1}
         order by id limit ${batchSize} for update
       ) chosen
       where id = chosen_id
       returning id, ${orderKeySql} as "orderKey", received_at
     )
     select id, "orderKey" from reopened ${inOrderSql}`,
    [...values, behind],
  )
  return rows
}

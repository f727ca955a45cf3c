import type { Tx } from '@feed-receiver/database'
import { orderKeySql } from '../entry/sql.ts'
import { insertJobsSql, madeInPlace, wakeSql } from './job.ts'
import type { InboxContext } from '../context.ts'

interface EnqueueOptions {
  /**
   * Whether the jobs go before those of entries that were received later.
   * @default false
   */
  byReceipt?: boolean
}

/**
 * Queues a job for each of some entries, in the order of acceptance, and wakes the workers once the
 * transaction commits.
 */
export async function enqueueEntries(
  tx: Tx,
  { tables, queue }: InboxContext,
  ids: readonly number[],
  { byReceipt = false }: EnqueueOptions = {},
): Promise<void> {
  if (ids.length === 0) return
  const made = madeInPlace(queue)
  // Times of receipt are whole milliseconds, and ids tell which of two came first.
  const receipt = `stored.received_at + stored.id % 1000 * interval '1 microsecond'`
  const inTurn = { ...made, createdOn: `least(${made.startAfter}, ${receipt})` }
  await tx.query(
    `with stored as (
       select id, type, ${orderKeySql} as "orderKey", received_at, is_replay
       from ${tables.entry} where id = any($1::bigint[])
     ),
     queued as (${insertJobsSql(queue, 'stored.is_replay', byReceipt ? inTurn : made)})
     ${wakeSql(queue)} where exists (select from queued)`,
    [ids],
  )
}

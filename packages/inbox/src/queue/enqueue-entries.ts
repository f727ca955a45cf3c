import type { Tx } from '@feed-receiver/database'
import { orderKeySql } from '../entry/sql.ts'
import { insertJobsSql, nowSql, wakeSql } from './job.ts'
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
  // Times of receipt are whole milliseconds, and ids tell which of two came first.
  const receipt = `stored.received_at + stored.id % 1000 * interval '1 microsecond'`
  const createdOn = byReceipt ? `least(${nowSql(queue)}, ${receipt})` : undefined
  await tx.query(
    `with stored as (
       select id, type, ${orderKeySql} as "orderKey", received_at, is_reprocessed
       from ${tables.entry} where id = any($1::bigint[])
     ),
     queued as (${insertJobsSql(queue, 'stored.is_reprocessed', createdOn)})
     ${wakeSql(queue)} where exists (select from queued)`,
    [ids],
  )
}

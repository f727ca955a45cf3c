import type { Tx } from '@feed-receiver/database'
import type { InboxContext } from '../context.ts'
import { insertJobsSql, nowSql, queuedColumnsSql } from './insert-jobs.ts'
import { wakeSql } from './notify.ts'

/**
 * Queues a job for each of some entries, in the order of acceptance, and wakes the workers once the
 * transaction commits. Jobs `byReceipt` go before those of entries that were received later.
 */
export async function enqueueEntries(
  tx: Tx,
  { tables, source, queue }: InboxContext,
  ids: readonly number[],
  { byReceipt = false } = {},
): Promise<void> {
  if (ids.length === 0) return
  // Pushed events may have the same time of receipt, and ids tell which of them came first.
  const before = `select count(*) from ${tables.entry} entry where entry.source = '${source}'
    and entry.received_at = stored.received_at and entry.id < stored.id`
  const receipt = `stored.received_at + (${before}) * interval '1 microsecond'`
  const createdOn = byReceipt ? `least(${nowSql(queue)}, ${receipt})` : undefined
  await tx.query(
    `with stored as (
       select id, ${queuedColumnsSql}, is_reprocessed
       from ${tables.entry} where id = any($1::bigint[])
     ),
     queued as (${insertJobsSql(queue, { hasReprocessed: true, createdOn })})
     ${wakeSql(queue)} where exists (select from queued)`,
    [ids],
  )
}

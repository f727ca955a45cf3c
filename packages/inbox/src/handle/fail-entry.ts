import type { Tx } from '@feed-receiver/database'
import { orderKeySql, type EntryToQueue } from '../entry/sql.ts'
import { instruments } from '../instruments.ts'
import type { ClaimedJob, Place } from '../queue/queue.ts'
import { Permanent, RetryAfter } from './handlers.ts'

/**
 * Ends a run that failed: the job waits for its next try, or goes to the dead letters, and then the
 * entry is dead, both or neither. `handled` is the revision that was, if the run came that far: where
 * the content has changed meanwhile, a last try was not the last one of the new content, which gets a
 * job of its own. Changes nothing where another run has the job by now.
 */
export async function failEntry(
  place: Place,
  job: ClaimedJob,
  error: unknown,
  handled: number | undefined,
): Promise<void> {
  const { database, source, queue } = place
  const isLast = error instanceof Permanent || job.retryCount >= job.retryLimit
  const isDead = await database.tx(async (tx) => {
    if (isLast) return await endLastTry(tx, place, job, error, handled)
    const isOurs = await queue.fail(job, error, tx)
    if (isOurs && error instanceof RetryAfter) await queue.postpone(job, error.seconds, tx)
    return false
  })
  if (isDead) instruments().handled.add(1, { 'feed.source': source, 'feed.outcome': 'dead' })
}

/** Whether the entry is dead. */
async function endLastTry(
  tx: Tx,
  { tables, queue }: Place,
  job: ClaimedJob,
  error: unknown,
  handled: number | undefined,
): Promise<boolean> {
  const { entryId } = job.data
  // Locks the job before the entry, as the end of a run does.
  await queue.spendRetries(job, tx)
  const { rows } = await tx.query<EntryToQueue & { revision: number }>(
    `select id, ${orderKeySql} as "orderKey", revision from ${tables.entry}
     where id = $1 and state = 'received' for update`,
    [entryId],
  )
  const revised = rows.find(({ revision }) => handled !== undefined && revision > handled)
  if (revised) {
    if (await queue.complete(job, tx)) await queue.enqueue([revised], tx)
    return false
  }
  if (!(await queue.fail(job, error, tx))) return false
  await queue.unblock(tx)
  const { rowCount } = await tx.query(
    `update ${tables.entry} set state = 'dead', handled_at = now()
     where id = $1 and state = 'received'`,
    [entryId],
  )
  return rowCount === 1
}

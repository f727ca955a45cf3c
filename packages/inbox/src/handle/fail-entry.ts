import type { Tx } from '@feed-receiver/database'
import { Permanent, RetryAfter } from './handlers.ts'
import { orderKeySql, type EntryToQueue } from '../entry/order-key.ts'
import { instruments } from '../instruments.ts'
import type { ClaimedJob, Place } from '../queue/queue.ts'

export interface FailedRun {
  job: ClaimedJob
  error: unknown
  /** The revision that was handled, if the run came that far. */
  revision: number | undefined
}

/**
 * Ends a run that failed: the job waits for its next try, or goes to the dead letters, and then the
 * entry is dead, both or neither. Where its content has changed meanwhile, a last try was not the last
 * one of the new content, which gets a job of its own. Changes nothing where another run has the job
 * by now.
 */
export async function failEntry(place: Place, run: FailedRun): Promise<void> {
  const { job, error } = run
  const { database, source, queue } = place
  const isLast = error instanceof Permanent || job.retryCount >= job.retryLimit
  const isDead = await database.tx(async (tx) => {
    if (isLast) return await endLastTry(tx, place, run)
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
  { job, error, revision }: FailedRun,
): Promise<boolean> {
  const { entryId } = job.data
  const table = tables.entry
  // Locks the job before the entry, as the end of a run does.
  await queue.spendRetries(job, tx)
  const revised = await lockRevised(tx, table, entryId, revision)
  if (revised) {
    if (await queue.complete(job, tx)) await queue.enqueue([revised], tx)
    return false
  }
  if (!(await queue.fail(job, error, tx))) return false
  await queue.unblock(tx)
  const { rowCount } = await tx.query(
    `update ${table} set state = 'dead', handled_at = now() where id = $1 and state = 'received'`,
    [entryId],
  )
  return rowCount === 1
}

/** Takes hold of an open entry, and gives it where it has been revised since it was handled. */
async function lockRevised(
  tx: Tx,
  table: string,
  id: number,
  handled: number | undefined,
): Promise<EntryToQueue | undefined> {
  const { rows } = await tx.query<EntryToQueue & { revision: number }>(
    `select id, ${orderKeySql} as "orderKey", revision from ${table}
     where id = $1 and state = 'received' for update`,
    [id],
  )
  return rows.find(({ revision }) => handled !== undefined && revision > handled)
}

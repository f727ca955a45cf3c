import type { Database } from '@feed-receiver/database'
import { Permanent, RetryAfter } from './handler-errors.ts'
import type { ClaimedJob, Queue } from './queue.ts'
import { settleEntry } from './settle-entry.ts'
import { countDead } from './trace-handling.ts'

export interface FailEntryOptions {
  database: Database
  table: string
  source: string
  queue: Queue
}

/**
 * Ends a run that failed: the job waits for its next try, or goes to the dead letters, and then the
 * entry is dead, both or neither. Changes nothing where another run has the job by now.
 */
export async function failEntry(
  job: ClaimedJob,
  error: unknown,
  { database, table, source, queue }: FailEntryOptions,
): Promise<void> {
  const isLast = error instanceof Permanent || job.retryCount >= job.retryLimit
  const isDead = await database.tx(async (tx) => {
    if (isLast) await queue.spendRetries(job, tx)
    const isOurs = await queue.fail(job, error, tx)
    if (isOurs && isLast) {
      await queue.unblock(tx)
      return await settleEntry(tx, table, job.data.entryId, 'dead')
    }
    if (isOurs && error instanceof RetryAfter) await queue.postpone(job, error.seconds, tx)
    return false
  })
  if (isDead) countDead(source)
}

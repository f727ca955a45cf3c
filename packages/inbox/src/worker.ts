import type { Database } from '@feed-receiver/database'
import type { JobResult } from 'pg-boss'
import type { FinishEntry } from './finish-entry.ts'
import { handleEntry } from './handle-entry.ts'
import { indexHandlers, type Handlers } from './handlers.ts'
import type { ClaimedJob, Queue } from './queue.ts'
import { settleEntry } from './settle-entry.ts'

export interface WorkerOptions {
  database: Database
  table: string
  queue: Queue
  finishEntry: FinishEntry
  handlers: Handlers
  concurrency: number
}

/** Starts handling entries as their jobs come. */
export async function startWorker({
  database,
  table,
  queue,
  finishEntry,
  handlers,
  concurrency,
}: WorkerOptions): Promise<void> {
  const findHandler = indexHandlers(handlers)
  await queue.run(concurrency, runJob)

  async function runJob(job: ClaimedJob): Promise<JobResult> {
    try {
      await handleEntry(job, { database, table, finishEntry, findHandler })
      return { id: job.id, status: 'completed' }
    } catch (error) {
      if (job.retryCount >= job.retryLimit) await bury(job)
      return { id: job.id, status: 'failed', output: error }
    }
  }

  async function bury(job: ClaimedJob): Promise<void> {
    await settleEntry(database, table, job.data.entryId, 'dead')
  }
}

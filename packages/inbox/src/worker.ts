import type { Database } from '@feed-receiver/database'
import type { JobResult } from 'pg-boss'
import { handleEntry } from './handle-entry.ts'
import { indexHandlers, type Handlers } from './handlers.ts'
import type { ClaimedJob, Queue } from './queue.ts'
import { settleEntry } from './settle-entry.ts'
import { countDead } from './trace-handling.ts'

export interface WorkerOptions {
  database: Database
  table: string
  source: string
  queue: Queue
  handlers: Handlers
  concurrency: number
}

/** Starts handling entries as their jobs come. */
export async function startWorker({
  database,
  table,
  source,
  queue,
  handlers,
  concurrency,
}: WorkerOptions): Promise<void> {
  const findHandler = indexHandlers(handlers)
  await queue.run(concurrency, runJob)

  async function runJob(job: ClaimedJob): Promise<JobResult> {
    try {
      await handleEntry(job, { database, table, source, queue, findHandler })
      return { id: job.id, status: 'completed' }
    } catch (error) {
      if (job.retryCount >= job.retryLimit) await bury(job)
      return { id: job.id, status: 'failed', output: error }
    }
  }

  async function bury(job: ClaimedJob): Promise<void> {
    if (await settleEntry(database, table, job.data.entryId, 'dead')) countDead(source)
  }
}

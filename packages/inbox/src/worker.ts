import type { Database } from '@feed-receiver/database'
import { failEntry } from './fail-entry.ts'
import type { FinishEntry } from './finish-entry.ts'
import { handleEntry } from './handle-entry.ts'
import { indexHandlers, type Handlers } from './handlers.ts'
import type { ClaimedJob, JobResult, Queue } from './queue.ts'

export interface WorkerOptions {
  database: Database
  table: string
  source: string
  queue: Queue
  finishEntry: FinishEntry
  handlers: Handlers
  concurrency: number
  onError: (error: unknown) => void
}

/** Starts handling entries as their jobs come. */
export async function startWorker({
  database,
  table,
  source,
  queue,
  finishEntry,
  handlers,
  concurrency,
  onError,
}: WorkerOptions): Promise<void> {
  const findHandler = indexHandlers(handlers)
  await queue.run(concurrency, runJob)

  async function runJob(job: ClaimedJob): Promise<JobResult> {
    try {
      await handleEntry(job, { database, table, source, finishEntry, findHandler })
      return { id: job.id, status: 'completed' }
    } catch (error) {
      // Where even that fails, pg-boss tries it with the result, or finds the job once it expires.
      await failEntry(job, error, { database, table, source, queue }).catch(onError)
      return { id: job.id, status: 'failed', output: error }
    }
  }
}

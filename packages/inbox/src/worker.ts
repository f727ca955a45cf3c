import { AsyncResource } from 'node:async_hooks'
import type { Database } from '@feed-receiver/database'
import type { RunInTransaction } from './app-transaction.ts'
import { InboxError } from './errors.ts'
import { failEntry } from './fail-entry.ts'
import { findEntries, type EntryToHandle } from './find-entries.ts'
import type { FinishEntry } from './finish-entry.ts'
import { handleEntry } from './handle-entry.ts'
import { indexHandlers, type Handlers } from './handlers.ts'
import type { ClaimedJob, JobResult, Queue } from './queue.ts'
import { createRunSignals } from './run-signals.ts'
import type { Tables } from './tables.ts'

export interface WorkerOptions<AppTx> {
  database: Database
  tables: Tables
  source: string
  queue: Queue
  runInTransaction: RunInTransaction<AppTx>
  finishEntry: FinishEntry
  handlers: Handlers<AppTx>
  onError: (error: unknown) => void
}

/** Hands entries to their handlers. */
export interface Worker {
  /** Runs claimed jobs at once, each to its end; never rejects. */
  runJobs(jobs: readonly ClaimedJob[]): Promise<JobResult[]>
  /** Aborts the signals of all handlers. */
  abort(): void
}

/** Makes a worker. Errors: `bad_handler`. */
export function createWorker<AppTx>({ handlers, onError, ...place }: WorkerOptions<AppTx>): Worker {
  const { database, tables } = place
  // Made here, outside of any transaction, and so bound to be.
  const queryOutside = AsyncResource.bind(database.query)
  const options = { ...place, queryOutside, findHandler: indexHandlers(handlers) }
  const signals = createRunSignals()

  return {
    async runJobs(jobs) {
      const ids = jobs.map(({ data }) => data.entryId)
      const entries = findEntries(database, tables.entry, ids)
      return await Promise.all(jobs.map((job) => runJob(job, entries)))
    },
    abort: signals.abort,
  }

  async function runJob(job: ClaimedJob, entries: Promise<Entries>): Promise<JobResult> {
    const run = signals.begin(job.signal)
    try {
      await handleEntry(job, pick(job, await entries), run.signal, options)
      return { id: job.id, status: 'completed' }
    } catch (error) {
      // Where even that fails, pg-boss tries it with the result, or finds the job once it expires.
      await failEntry(job, error, { table: tables.entry, ...place }).catch(onError)
      return { id: job.id, status: 'failed', output: error }
    } finally {
      run.end()
    }
  }
}

type Entries = Map<number, EntryToHandle>

function pick({ data }: ClaimedJob, entries: Entries): EntryToHandle {
  const entry = entries.get(data.entryId)
  if (entry) return entry
  throw new InboxError('entry_missing', `Entry ${data.entryId}, whose job this is, is not there.`)
}

import { AsyncResource } from 'node:async_hooks'
import type { Database } from '@feed-receiver/database'
import type { RunInTransaction } from '../queue/app-transaction.ts'
import { InboxError } from '../errors.ts'
import { failEntry } from './fail-entry.ts'
import { findEntries, type EntryToHandle } from './find-entries.ts'
import type { FinishEntry } from './finish-entry.ts'
import { handleEntry, type RunSignals } from './handle-entry.ts'
import { indexHandlers, type Handlers } from './handlers.ts'
import type { ClaimedJob, Queue } from '../queue/queue.ts'
import type { Tables } from '../entry/tables.ts'

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
  /** Starts a run for each claimed job, all at once. */
  start(jobs: readonly ClaimedJob[]): Run[]
}

/** One attempt at one entry. */
export interface Run {
  readonly job: ClaimedJob
  /** Resolves when its handler runs no more; what it did is still to be committed. Never rejects. */
  readonly returned: Promise<unknown>
  /** Never rejects. */
  readonly outcome: Promise<'handled' | 'failed'>
  /** Aborts the signal of its handler. */
  abort(reason: Error): void
  /**
   * Ends it for us, as somebody else has its claim: its handler can change nothing any more, and may
   * hang for ever, over a connection of the app's own for example.
   */
  lose(reason: Error): void
  /** Ends the attempt as a failed one, whatever its handler does. */
  giveUp(): Promise<void>
}

/** Makes a worker. Errors: `bad_handler`. */
export function createWorker<AppTx>({ handlers, onError, ...place }: WorkerOptions<AppTx>): Worker {
  const { database, tables } = place
  // Bound here, outside of any transaction.
  const queryOutside = AsyncResource.bind(database.query)
  const options = { ...place, queryOutside, findHandler: indexHandlers(handlers) }

  return {
    start(jobs) {
      if (jobs.length === 0) return []
      const ids = jobs.map(({ data }) => data.entryId)
      const entries = findEntries(database, tables.entry, ids)
      return jobs.map((job) => startRun(job, entries))
    },
  }

  function startRun(job: ClaimedJob, entries: Promise<Entries>): Run {
    const stopping = new AbortController()
    const { signal } = stopping
    let onReturn = () => {}
    const returned = new Promise<void>((resolve) => (onReturn = resolve))
    let onLost: (outcome: 'failed') => void = () => {}
    const lost = new Promise<'failed'>((resolve) => (onLost = resolve))
    const outcome = Promise.race([attempt(job, entries, { signal, onReturn }), lost])
    return {
      job,
      returned: Promise.race([returned, outcome]),
      outcome,
      abort: (reason) => stopping.abort(reason),
      lose(reason) {
        stopping.abort(reason)
        onLost('failed')
      },
      giveUp: () =>
        fail(job, entries, new InboxError('not_finished', 'The inbox stopped before its end.')),
    }
  }

  async function attempt(
    job: ClaimedJob,
    entries: Promise<Entries>,
    signals: RunSignals,
  ): Promise<'handled' | 'failed'> {
    try {
      await handleEntry(job, pick(job, await entries), signals, options)
      return 'handled'
    } catch (error) {
      await fail(job, entries, error)
      return 'failed'
    }
  }

  // Where even that fails, the queue finds the job once its heartbeat is missed.
  async function fail(job: ClaimedJob, entries: Promise<Entries>, error: unknown): Promise<void> {
    const found = await entries.catch(() => undefined)
    const revision = found?.get(job.data.entryId)?.revision
    await failEntry({ job, error, revision }, { table: tables.entry, ...place }).catch(onError)
  }
}

type Entries = Map<number, EntryToHandle>

function pick({ data }: ClaimedJob, entries: Entries): EntryToHandle {
  const entry = entries.get(data.entryId)
  if (entry) return entry
  throw new InboxError('entry_missing', `Entry ${data.entryId}, whose job this is, is not there.`)
}

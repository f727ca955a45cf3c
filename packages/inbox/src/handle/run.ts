import { AsyncResource } from 'node:async_hooks'
import { InboxError } from '../errors.ts'
import type { ClaimedJob, Place, RunInTransaction } from '../queue/queue.ts'
import { failEntry } from './fail-entry.ts'
import { finishInOneStatement } from './finish-entry.ts'
import { findEntries, handleEntry, type EntryToHandle, type RunSignals } from './handle-entry.ts'
import { indexHandlers, type Handlers } from './handlers.ts'

/** Where handlers run. */
export interface HandlingPlace<AppTx> extends Place {
  runInTransaction: RunInTransaction<AppTx>
  onError: (error: unknown) => void
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

/** Starts a run for each claimed job, all at once. */
export type StartRuns = (jobs: readonly ClaimedJob[]) => Run[]

/** Makes the function that hands entries to their handlers. Errors: `bad_handler`. */
export function runsOn<AppTx>(place: HandlingPlace<AppTx>, handlers: Handlers<AppTx>): StartRuns {
  const options = {
    ...place,
    // Bound here, outside of any transaction.
    queryOutside: AsyncResource.bind(place.database.query),
    findHandler: indexHandlers(handlers),
    finishEntry: finishInOneStatement(place),
  }

  return (jobs) => {
    if (jobs.length === 0) return []
    const ids = jobs.map(({ data }) => data.entryId)
    const entries = findEntries(place, ids)
    return jobs.map((job) => startRun(job, entries))
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
    await failEntry(place, { job, error, revision }).catch(place.onError)
  }
}

type Entries = Map<number, EntryToHandle>

function pick({ data }: ClaimedJob, entries: Entries): EntryToHandle {
  const entry = entries.get(data.entryId)
  if (entry) return entry
  throw new InboxError('entry_missing', `Entry ${data.entryId}, whose job this is, is not there.`)
}

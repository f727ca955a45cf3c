import { InboxError } from '../errors.ts'
import { handBack } from '../queue/hand-back.ts'
import type { ClaimedJob } from '../queue/queue.ts'
import { findEntries, handlingOn, NotAttempted } from './handle-entry.ts'
import type { EntryToHandle, WorkerContext } from './handle-entry.ts'
import { failEntry } from './fail-entry.ts'
import type { Reports } from './failures.ts'
import type { Handlers } from './handlers.ts'

/** One attempt at one entry. */
export type Run = ReturnType<ReturnType<typeof runsOn>>[number]

/**
 * Creates the function that passes the entries of claimed jobs to their handlers, concurrently.
 * Errors: `bad_handler`.
 */
export function runsOn<AppTx>(
  context: WorkerContext<AppTx>,
  handlers: Handlers<AppTx>,
  reports: Reports,
) {
  const handleEntry = handlingOn(context, handlers)

  return (jobs: readonly ClaimedJob[]) => {
    if (jobs.length === 0) return []
    const claimedAt = performance.now()
    const ids = jobs.map(({ data }) => data.entryId)
    const entries = findEntries(context, ids)
    return jobs.map((job) => startRun(job, entries, claimedAt))
  }

  function startRun(job: ClaimedJob, entries: Promise<Entries>, claimedAt: number) {
    const stopping = new AbortController()
    let onReturn = () => {}
    const returned = new Promise<void>((resolve) => (onReturn = resolve))
    let onLost: (outcome: 'failed') => void = () => {}
    const lost = new Promise<'failed'>((resolve) => (onLost = resolve))
    const outcome = Promise.race([
      attempt(job, entries, stopping.signal, onReturn, claimedAt),
      lost,
    ])
    return {
      job,
      /** Resolves when its handler has returned. The commit may still follow. Never rejects. */
      returned: Promise.race([returned, outcome]),
      /** Never rejects. */
      outcome,
      /** Aborts the signal of its handler. */
      abort: (reason: Error) => stopping.abort(reason),
      /**
       * Gives the run up, because another worker has claimed the job. Its handler can no longer
       * change anything, and may hang forever, for example on a connection of the app's own.
       */
      lose(reason: Error) {
        stopping.abort(reason)
        onLost('failed')
      },
      /** Stores the attempt as failed, whatever its handler does. */
      giveUp: (reason: Error) => fail(job, entries, reason),
    }
  }

  async function attempt(
    job: ClaimedJob,
    entries: Promise<Entries>,
    signal: AbortSignal,
    onReturn: () => void,
    claimedAt: number,
  ): Promise<'handled' | 'failed' | 'handedBack'> {
    try {
      const found = await entries.catch((error: unknown) => {
        throw new NotAttempted(error)
      })
      await handleEntry(job, pick(job, found), signal, onReturn, claimedAt)
      return 'handled'
    } catch (error) {
      if (error instanceof NotAttempted) {
        context.onError(error.cause)
        await handBack(context, [job]).catch(context.onError)
        return 'handedBack'
      }
      await fail(job, entries, error)
      return 'failed'
    }
  }

  // If even that fails, the queue finds the job once its heartbeat is missed.
  async function fail(job: ClaimedJob, entries: Promise<Entries>, error: unknown): Promise<void> {
    const found = await entries.catch(() => undefined)
    const revision = found?.get(job.data.entryId)?.revision
    await failEntry(context, reports, { job, error, revision }).catch(context.onError)
  }
}

type Entries = Map<number, EntryToHandle>

function pick({ data }: ClaimedJob, entries: Entries): EntryToHandle {
  const entry = entries.get(data.entryId)
  if (entry) return entry
  throw new InboxError('entry_missing', `Entry ${data.entryId} of this job does not exist.`)
}

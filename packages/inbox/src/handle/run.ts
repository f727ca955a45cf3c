import type { Tx } from '@feed-receiver/database'
import { InboxError } from '../errors.ts'
import { enqueueEntries } from '../queue/enqueue-entries.ts'
import type { ClaimedJob, Place } from '../queue/queue.ts'
import { findEntries, handlingOn, type EntryToHandle, type HandlingPlace } from './handle-entry.ts'
import { type Handlers, Permanent, RetryAfter } from './handlers.ts'
import { instruments } from '../instruments.ts'

/** One attempt at one entry. */
export type Run = ReturnType<ReturnType<typeof runsOn>>[number]

/** Makes the function that hands the entries of claimed jobs to their handlers, all at once. Errors: `bad_handler`. */
export function runsOn<AppTx>(place: HandlingPlace<AppTx>, handlers: Handlers<AppTx>) {
  const handleEntry = handlingOn(place, handlers)

  return (jobs: readonly ClaimedJob[]) => {
    if (jobs.length === 0) return []
    const ids = jobs.map(({ data }) => data.entryId)
    const entries = findEntries(place, ids)
    return jobs.map((job) => startRun(job, entries))
  }

  function startRun(job: ClaimedJob, entries: Promise<Entries>) {
    const stopping = new AbortController()
    let onReturn = () => {}
    const returned = new Promise<void>((resolve) => (onReturn = resolve))
    let onLost: (outcome: 'failed') => void = () => {}
    const lost = new Promise<'failed'>((resolve) => (onLost = resolve))
    const outcome = Promise.race([attempt(job, entries, stopping.signal, onReturn), lost])
    return {
      job,
      /** Resolves when its handler runs no more; what it did is still to be committed. Never rejects. */
      returned: Promise.race([returned, outcome]),
      /** Never rejects. */
      outcome,
      /** Aborts the signal of its handler. */
      abort: (reason: Error) => stopping.abort(reason),
      /**
       * Ends it for us, as somebody else has its claim: its handler can change nothing any more, and
       * may hang for ever, over a connection of the app's own for example.
       */
      lose(reason: Error) {
        stopping.abort(reason)
        onLost('failed')
      },
      /** Ends the attempt as a failed one, whatever its handler does. */
      giveUp: () =>
        fail(job, entries, new InboxError('not_finished', 'The inbox stopped before its end.')),
    }
  }

  async function attempt(
    job: ClaimedJob,
    entries: Promise<Entries>,
    signal: AbortSignal,
    onReturn: () => void,
  ): Promise<'handled' | 'failed'> {
    try {
      await handleEntry(job, pick(job, await entries), signal, onReturn)
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
    await failEntry(place, job, error, revision).catch(place.onError)
  }
}

type Entries = Map<number, EntryToHandle>

function pick({ data }: ClaimedJob, entries: Entries): EntryToHandle {
  const entry = entries.get(data.entryId)
  if (entry) return entry
  throw new InboxError('entry_missing', `Entry ${data.entryId}, whose job this is, is not there.`)
}

/**
 * Ends a run that failed: the job waits for its next try, or goes to the dead letters, and then the
 * entry is dead, both or neither. `handled` is the revision that was, if the run came that far: where
 * the content has changed meanwhile, a last try was not the last one of the new content, which gets a
 * job of its own. Changes nothing where another run has the job by now.
 */
async function failEntry(
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
  place: Place,
  job: ClaimedJob,
  error: unknown,
  handled: number | undefined,
): Promise<boolean> {
  const { tables, queue } = place
  const { entryId } = job.data
  // Locks the job before the entry, as the end of a run does.
  await queue.spendRetries(job, tx)
  const { rows } = await tx.query<{ revision: number }>(
    `select revision from ${tables.entry}
     where id = $1 and state = 'received' for update`,
    [entryId],
  )
  const isRevised = rows.some(({ revision }) => handled !== undefined && revision > handled)
  if (isRevised) {
    if (await queue.complete(job, tx)) await enqueueEntries(tx, place, [entryId])
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

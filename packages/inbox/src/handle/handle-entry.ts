import type { Queryable } from '@feed-receiver/database'
import type { ClaimedJob, Place, RunInTransaction } from '../queue/queue.ts'
import { openEffects } from './effects.ts'
import { InboxError } from '../errors.ts'
import type { Change } from '../entry/change.ts'
import type { FinishEntry } from './finish-entry.ts'
import type { FindHandler } from './handlers.ts'
import { readEntry, type EntryContent } from '../entry/read-entry.ts'
import { traceHandling } from './trace-handling.ts'

/** What a run is told, and tells. */
export interface RunSignals {
  /** Aborts when the handler should end. */
  signal: AbortSignal
  /** Called when the handler has returned, and only its commit is left. */
  onReturn: () => void
}

export interface HandleEntryOptions<AppTx> extends Place {
  runInTransaction: RunInTransaction<AppTx>
  finishEntry: FinishEntry
  findHandler: FindHandler<AppTx>
  /** The database's own, wherever it is called from. */
  queryOutside: Queryable['query']
}

/**
 * Runs the handler of one claimed job. Its effects through `tx`, the state of the entry and the end
 * of the job are one transaction, so that they all happen, once, or none of them does.
 */
export async function handleEntry<AppTx>(
  job: ClaimedJob,
  entry: EntryToHandle,
  { signal, onReturn }: RunSignals,
  options: HandleEntryOptions<AppTx>,
): Promise<void> {
  const { database, tables, source, queue, runInTransaction, finishEntry } = options
  const { findHandler, queryOutside } = options
  // Another run came first, and was killed before it could end the job.
  if (entry.state !== 'received') {
    await database.tx((tx) => queue.complete(job, tx))
    return
  }
  const event = readEntry(entry)
  if (!event) {
    throw new InboxError('entry_missing', `The bytes of entry ${entry.id} are not there any more.`)
  }
  const { traceparent, receivedAt, revision, via, change } = entry
  const handler = findHandler(event.type)
  const attempt = job.retryCount + 1
  const outcome = handler ? 'done' : 'skipped'
  await traceHandling({ source, event, attempt, outcome, traceparent }, () =>
    runInTransaction(async (tx, sql) => {
      const ledger = { id: entry.id, key: `${source}/${event.id}` }
      const effects = openEffects(queryOutside, tables, ledger, () => sql.isBegun === true)
      await handler?.(event, { tx, effects, signal, attempt, receivedAt, via, change, revision })
      onReturn()
      const isOurs = await finishEntry(sql, { job, revision, state: outcome })
      if (!isOurs) throw claimLost(entry.id)
    }),
  )
}

// Thrown inside the transaction, so that the effects of this run are undone.
function claimLost(entryId: number): InboxError {
  return new InboxError(
    'claim_lost',
    `Entry ${entryId} took longer than its job may run, and another worker has it by now; or its ` +
      'content has changed meanwhile, and it is handled again with the new one.',
  )
}

/** What a worker needs of an entry. */
export interface EntryToHandle extends EntryContent {
  id: number
  state: 'received' | 'done' | 'skipped' | 'dead'
  eventId: string
  /** How often its content has changed, from 1. */
  revision: number
  via: 'push' | 'pull'
  change: Change
  receivedAt: Date
  /** The trace in which it was accepted. */
  traceparent: string | null
}

/** Entries by their keys; those that are not there are missing. */
export async function findEntries(
  { database, tables }: Place,
  ids: readonly number[],
): Promise<Map<number, EntryToHandle>> {
  const { rows } = await database.query<EntryToHandle>(
    `select id, state, event_id as "eventId", body, pull, revision, via, change,
       received_at as "receivedAt", headers ->> 'traceparent' as traceparent
     from ${tables.entry} where id = any($1::bigint[])`,
    [ids],
  )
  return new Map(rows.map((row) => [row.id, row]))
}

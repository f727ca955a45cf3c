import { parseEvent } from '@feed-receiver/core'
import type { Database, Tx } from '@feed-receiver/database'
import { InboxError } from './errors.ts'
import { findEntry } from './find-entry.ts'
import type { FinishEntry } from './finish-entry.ts'
import type { FindHandler } from './handlers.ts'
import type { ClaimedJob } from './queue.ts'
import { traceHandling } from './trace-handling.ts'

export interface HandleEntryOptions {
  database: Database
  table: string
  source: string
  finishEntry: FinishEntry
  findHandler: FindHandler
}

/**
 * Runs the handler of one claimed job. Its effects through `tx`, the state of the entry and the end
 * of the job are one transaction, so that they all happen, once, or none of them does.
 */
export async function handleEntry(
  job: ClaimedJob,
  { database, table, source, finishEntry, findHandler }: HandleEntryOptions,
): Promise<void> {
  const { entryId } = job.data
  const entry = await findEntry(database, table, entryId)
  if (!entry) throw new InboxError('entry_missing', `There is no entry ${entryId} in ${table}.`)
  // Another run came first, and was killed before it could end the job.
  if (entry.state !== 'received') return

  const parsed = parseEvent(entry.body ?? new Uint8Array())
  if ('problem' in parsed) {
    throw new InboxError('entry_missing', `The bytes of entry ${entryId} are not there any more.`)
  }
  const { event } = parsed
  const handler = findHandler(event.type)
  const attempt = job.retryCount + 1
  const outcome = handler ? 'done' : 'skipped'
  const { traceparent, receivedAt } = entry
  await traceHandling({ source, event, attempt, outcome, traceparent }, () => database.tx(run))

  async function run(tx: Tx): Promise<void> {
    await handler?.(event, {
      tx,
      signal: job.signal,
      attempt,
      receivedAt,
    })
    const isOurs = await finishEntry(tx, job, outcome)
    if (!isOurs) throw claimLost(entryId)
  }
}

// Thrown inside the transaction, so that the effects of this run are undone.
function claimLost(entryId: number): InboxError {
  return new InboxError(
    'claim_lost',
    `Entry ${entryId} took longer than its job may run, and another worker has it by now.`,
  )
}

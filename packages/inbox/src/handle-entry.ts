import { parseEvent } from '@feed-receiver/core'
import type { Database } from '@feed-receiver/database'
import { InboxError } from './errors.ts'
import { findEntry } from './find-entry.ts'
import type { FinishEntry } from './finish-entry.ts'
import type { FindHandler } from './handlers.ts'
import type { ClaimedJob } from './queue.ts'

export interface HandleEntryOptions {
  database: Database
  table: string
  finishEntry: FinishEntry
  findHandler: FindHandler
}

/**
 * Runs the handler of one claimed job. Its effects through `tx`, the state of the entry and the end
 * of the job are one transaction, so that they all happen, once, or none of them does.
 */
export async function handleEntry(
  job: ClaimedJob,
  { database, table, finishEntry, findHandler }: HandleEntryOptions,
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
  await database.tx(async (tx) => {
    await handler?.(event, {
      tx,
      signal: job.signal,
      attempt: job.retryCount + 1,
      receivedAt: entry.receivedAt,
    })
    const isOurs = await finishEntry(tx, job, handler ? 'done' : 'skipped')
    if (!isOurs) throw claimLost(entryId)
  })
}

// Thrown inside the transaction, so that the effects of this run are undone.
function claimLost(entryId: number): InboxError {
  return new InboxError(
    'claim_lost',
    `Entry ${entryId} took longer than its job may run, and another worker has it by now.`,
  )
}

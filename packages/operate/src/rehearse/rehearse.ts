import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Database, Tx } from '@feed-receiver/database'
import { findHandler } from '@feed-receiver/inbox'
import type { EntryFilter, Handlers, InboxOptions, TransactionOptions } from '@feed-receiver/inbox'
import { isDatabase, warnOfTypes } from '@feed-receiver/inbox/internal'
import { checkOption } from '../errors.ts'
import { forbidNetwork, openNetwork, type Network } from './network.ts'
import { createRehearsal, type EffectResult, type Rehearsed } from './rehearse-event.ts'
import type { RehearsalReport, RehearsedCounts } from './report.ts'
import { countsRows, findInbox, noInbox, readStored, type StoredEvent } from './stored-events.ts'
import { addTo, emptyTally, reportOf } from './tally.ts'
import { appTransactions, assertSameDatabase, inboxTransactions } from './transactions.ts'
import type { Transactions } from './transactions.ts'

export interface RehearseOptions<AppTx = Tx> extends Pick<
  InboxOptions,
  'database' | 'source' | 'schema'
> {
  /** The handlers to try, as for `inbox.work`. */
  handlers: Handlers<AppTx>
  /**
   * The events to rehearse, as in `inbox.entries.list`.
   * @default all stored events
   */
  filter?: EntryFilter
  /**
   * The maximum number of events, in the order of acceptance.
   * @default all
   */
  limit?: number | undefined
  /**
   * The maximum number of concurrent handlers, and at most as many as the database has connections:
   * one if it is embedded.
   * @default 4
   */
  concurrency?: number | undefined
  /**
   * The timeout of a handler, in milliseconds. Then its `signal` aborts, and it counts as thrown.
   * @default 30_000
   */
  timeoutMs?: number | undefined
  /**
   * Rejects `fetch` and new sockets in handlers, and counts those that try as thrown. Statements
   * through `tx` are not affected. Patches `fetch` and `net.Socket` of this process until the end.
   * @default false
   */
  forbidNetwork?: boolean | undefined
  /**
   * Returns the result of `effects.once` for an effect without a stored result. The effect does not
   * run.
   * @default undefined, and an error that follows is reported as possibly caused by it
   */
  effectResult?: EffectResult | undefined
  /** Called after each event with the progress. */
  onProgress?: ((counts: Readonly<RehearsedCounts>) => void) | undefined
  /** Aborts the rehearsal after the running handlers. The report covers the events done. */
  signal?: AbortSignal | undefined
}

/**
 * Runs handlers on stored events, each in its own transaction that is rolled back, and reports what
 * they would have done. Queues, migrates and marks nothing, and runs no effect. Errors:
 * `bad_option`, `bad_handler`, `no_inbox`, `not_migrated`, `other_database`; `rehearsal_left` and
 * `rehearsal_kept` if something may have been committed; those of the database package.
 */
export async function rehearse(
  options: RehearseOptions & { transaction?: undefined },
): Promise<RehearsalReport>
export async function rehearse<AppTx>(
  options: RehearseOptions<AppTx> & TransactionOptions<AppTx>,
): Promise<RehearsalReport>
export async function rehearse<AppTx>(
  options:
    | (RehearseOptions & { transaction?: undefined })
    | (RehearseOptions<AppTx> & TransactionOptions<AppTx>),
): Promise<RehearsalReport> {
  if (options.transaction === undefined) {
    return await rehearseOn<Tx>(options, async (database, network) =>
      inboxTransactions(database, network),
    )
  }
  const { transaction } = options
  return await rehearseOn(options, async (database) => {
    await assertSameDatabase(database, transaction)
    return appTransactions(transaction)
  })
}

async function rehearseOn<AppTx>(
  options: RehearseOptions<AppTx>,
  openTransactions: (database: Database, network: Network) => Promise<Transactions<AppTx>>,
): Promise<RehearsalReport> {
  const settings = readRehearseOptions(options)
  // Rejects what is no handler, before the first event.
  findHandler(settings.handlers, '')
  warnOfTypes(settings.handlers)
  const { database: target } = settings
  if (isDatabase(target)) return await run(target)
  const opened = await openExisting(target, settings.concurrency)
  // Without `using`, because Jest 29 has no Symbol.asyncDispose.
  try {
    return await run(opened)
  } finally {
    await opened.close()
  }

  async function run(database: Database): Promise<RehearsalReport> {
    const { source, schema, filter } = settings
    const store = await findInbox({ database, source, schema })
    const network = settings.forbidNetwork ? forbidNetwork() : openNetwork
    try {
      const transactions = await openTransactions(database, network)
      const rehearseEvent = createRehearsal({ ...settings, transactions, network })
      const events = readStored(store, filter)
      return await rehearseAll(events, rehearseEvent, {
        ...settings,
        // Others would wait for a connection while their time runs.
        concurrency: Math.min(settings.concurrency, database.maxConnections),
        countsRows: await countsRows(database),
      })
    } finally {
      network.release()
    }
  }
}

/** Opens an existing database. An embedded one would otherwise be created in an empty folder. */
async function openExisting(
  given: Exclude<InboxOptions['database'], Database> = { folder: '.feed-receiver/database' },
  concurrency: number,
): Promise<Database> {
  const { openDatabase } = await import('@feed-receiver/database')
  const { readTarget } = await import('@feed-receiver/database/internal')
  const target = readTarget(given)
  const isFolder = typeof target === 'object' && 'folder' in target
  if (isFolder && !existsSync(join(target.folder, 'data'))) {
    throw noInbox(`the folder ${target.folder}`)
  }
  return openDatabase(target, {
    isGuest: true,
    applicationName: 'feed-receiver rehearse',
    // One more than the handlers use, to read events.
    maxConnections: concurrency + 1,
  })
}

/** Fills in and validates the options. Errors: `bad_option`. */
function readRehearseOptions<AppTx>(options: RehearseOptions<AppTx>) {
  const { database, filter = {}, limit = Infinity, concurrency = 4, timeoutMs = 30_000 } = options
  const { source = 'feed', schema = 'feed_inbox' } = options
  const isCount = limit === Infinity || (Number.isInteger(limit) && limit >= 1)
  checkOption(isCount, 'limit: use a whole number of 1 or more.')
  const isFine = Number.isInteger(concurrency) && concurrency >= 1 && concurrency <= 1_000
  checkOption(isFine, 'concurrency: use a whole number from 1 to 1,000.')
  const isTime = timeoutMs >= 0 && timeoutMs < 2 ** 31
  checkOption(isTime, 'timeoutMs: use a number of milliseconds, 0 or more.')
  return { ...options, database, source, schema, filter, limit, concurrency, timeoutMs }
}

interface RunOptions extends Pick<RehearseOptions, 'onProgress' | 'signal' | 'forbidNetwork'> {
  limit: number
  concurrency: number
  countsRows: boolean
}

/** Rehearses events concurrently, until there are no more or something ends it. */
async function rehearseAll(
  events: AsyncGenerator<StoredEvent, void>,
  rehearseEvent: (event: StoredEvent) => Promise<Rehearsed>,
  options: RunOptions,
): Promise<RehearsalReport> {
  const { limit, concurrency, countsRows: areCounted, onProgress, signal } = options
  const startedAt = performance.now()
  const tally = emptyTally()
  let begun = 0
  let stuck = 0
  let isEmpty = false
  let hasFailed = false

  const slots = Array.from({ length: concurrency }, () =>
    work().catch((error: unknown) => {
      // The other slots finish their current events.
      hasFailed = true
      throw error
    }),
  )
  for (const slot of await Promise.allSettled(slots)) {
    if (slot.status === 'rejected') throw slot.reason
  }
  const durationMs = Math.round(performance.now() - startedAt)
  const inputs = { ended: whyEnded(), durationMs, countsRows: areCounted }
  return reportOf(tally, inputs, options.forbidNetwork !== true)

  async function work(): Promise<void> {
    while (goesOn()) {
      begun += 1
      const next = await events.next()
      if (next.done) {
        isEmpty = true
        return
      }
      const rehearsed = await rehearseEvent(next.value)
      addTo(tally, rehearsed)
      onProgress?.(tally.total)
      if (!rehearsed.isStuck) continue
      // Its transaction is lost, and so is this slot.
      stuck += 1
      return
    }
  }

  function goesOn(): boolean {
    return !isEmpty && !hasFailed && begun < limit && signal?.aborted !== true
  }

  function whyEnded(): RehearsalReport['ended'] {
    if (isEmpty) return 'all'
    if (stuck === concurrency) return 'stuck'
    return signal?.aborted === true ? 'aborted' : 'limit'
  }
}

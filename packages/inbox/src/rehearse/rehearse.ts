import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Database, Tx } from '@feed-receiver/database'
import { tablesIn } from '../entry/tables.ts'
import { problem } from '../errors.ts'
import { indexHandlers } from '../handle/handlers.ts'
import { warnOfTypes } from '../handle/warnings.ts'
import { isDatabase, type InboxOptions, type TransactionOptions } from '../options.ts'
import { forbidNetwork, openNetwork, type Network } from './network.ts'
import { rehearseAll } from './rehearse-all.ts'
import { rehearsingOn } from './rehearse-event.ts'
import { readRehearseOptions, type RehearseOptions } from './rehearse-options.ts'
import type { RehearsalReport } from './report.ts'
import { assertInbox, countsRows, readStored } from './stored-events.ts'
import { appTransactions, assertSameDatabase, ownTransactions } from './transactions.ts'
import type { Transactions } from './transactions.ts'

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
      ownTransactions(database, network),
    )
  }
  const { transaction } = options
  return await rehearseOn(options, async (database) => {
    await assertSameDatabase(database, transaction)
    return appTransactions(transaction)
  })
}

type OpenTransactions<AppTx> = (
  database: Database,
  network: Network,
) => Promise<Transactions<AppTx>>

async function rehearseOn<AppTx>(
  options: RehearseOptions<AppTx>,
  openTransactions: OpenTransactions<AppTx>,
): Promise<RehearsalReport> {
  const settings = readRehearseOptions(options)
  const findHandler = indexHandlers(settings.handlers)
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
    const context = { database, tables: tablesIn(schema), schema, source }
    await assertInbox(context)
    const network = settings.forbidNetwork ? forbidNetwork() : openNetwork
    try {
      const transactions = await openTransactions(database, network)
      const rehearseEvent = rehearsingOn({ ...settings, findHandler, transactions, network })
      const events = readStored(context, filter)
      return await rehearseAll(events, rehearseEvent, {
        ...settings,
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
  const { openDatabase, readTarget } = await import('@feed-receiver/database')
  const target = readTarget(given)
  const isFolder = typeof target === 'object' && 'folder' in target
  if (isFolder && !existsSync(join(target.folder, 'data'))) {
    throw problem('no_inbox', { where: `the folder ${target.folder}` })
  }
  return openDatabase(target, {
    isGuest: true,
    applicationName: 'feed-receiver rehearse',
    // One more than the handlers use, to read events.
    maxConnections: concurrency + 1,
  })
}

import { setTimeout as delay } from 'node:timers/promises'
import { openDatabase, type Database } from '@feed-receiver/database'
import { createGroupCommit } from '@feed-receiver/database/internal'
import { createAcceptGroup, type Accepting } from './accept/accept.ts'
import type { RejectionCounts } from './accept/count-rejections.ts'
import { storeNothing } from './accept/store-entries.ts'
import { inboxPrivileges, tablesIn, type Tables } from './entry/tables.ts'
import type { InboxContext } from './context.ts'
import { codeOf } from './errors.ts'
import { createFailureLog, type FailureLog } from './failure-log.ts'
import { openExtensions, type Extensions, type OpenExtensions } from './extension.ts'
import type { Transactions } from './handle/transactions.ts'
import { createWorker, type Worker } from './handle/worker.ts'
import { defaultSchema, isDatabase, type InboxSettings } from './options.ts'
import { installTables, tablesSql } from './schema/inbox-sql.ts'
import type { InboxHealth } from './health/health.ts'
import { observeHealth } from './telemetry/observe-health.ts'
import { loadOpenTelemetry } from './telemetry/opentelemetry.ts'
import {
  checkServer,
  checkTables,
  explained,
  findDatabaseWarnings,
} from './preflight/check-database.ts'
import { openQueue } from './queue/open-queue.ts'
import { queueName } from './queue-names.ts'
import { reportTo } from './report-to.ts'
import { isDataFault } from './sql-states.ts'

/** Finds out in which transactions handlers run. */
export type OpenTransactions<AppTx> = (
  database: Database,
  tables: Tables,
) => Transactions<AppTx> | Promise<Transactions<AppTx>>

interface OpenInboxOptions<AppTx> extends InboxSettings {
  openTransactions: OpenTransactions<AppTx>
  /** For the metrics. */
  health: () => Promise<InboxHealth>
  rejections: RejectionCounts
  extensions: Extensions
}

/** A running inbox, with what its methods need. */
export interface OpenInbox<AppTx> extends InboxContext {
  /** Lets concurrent deliveries share a commit. */
  accepting: Accepting
  worker: Worker<AppTx>
  /** What has failed in this process. */
  failures: FailureLog
  extensions: OpenExtensions
  /** Waits for deliveries and for running handlers, up to a timeout, and closes. */
  close(): Promise<void>
}

const closeTimeoutMs = 2_000

/** Opens and migrates the database, and creates what the queue needs. */
export async function openInbox<AppTx>(
  options: OpenInboxOptions<AppTx>,
): Promise<OpenInbox<AppTx>> {
  const { database: target, schema, listenUrl, openTransactions, health } = options
  const isOurs = !isDatabase(target)
  const database = isDatabase(target) ? target : openDatabase(target, { listenUrl })
  const onError = reportTo(options.onError)
  let context: InboxContext | undefined
  try {
    context = await openContext(database, options, onError)
    const { tables, queue } = context
    const extensions = openExtensions({ ...options, context })
    await checkTables(database, { schema, tables: inboxPrivileges(queue.partition) })
    await checkStoring(context, schema, onError)
    await extensions.ready()
    const accepting = openAccepting(context)
    const transactions = await openTransactions(database, tables)
    const failures = createFailureLog()
    const worker = createWorker({ ...context, failures, extensions, transactions, onError })
    const provider = (await loadOpenTelemetry())?.metrics.getMeterProvider()
    const stopObserving = provider && observeHealth(provider, options, health)
    const stopCounting = options.rejections.writeTo(context, onError)
    return {
      ...context,
      accepting,
      worker,
      failures,
      extensions,
      async close() {
        stopObserving?.()
        await Promise.all([accepting.drain(), worker.stop(options.stopTimeoutMs)])
        await stopCounting()
        try {
          await queue.stop()
        } finally {
          // An abandoned handler may hold a connection, and would keep the pool open forever.
          const patience = delay(closeTimeoutMs, undefined, { ref: false })
          if (isOurs) await Promise.race([database.close(), patience])
        }
      },
    }
  } catch (error) {
    await context?.queue.stop().catch(onError)
    if (isOurs) await database.close()
    throw error
  }
}

/** The limits of one statement that stores deliveries, and of concurrent statements. */
const groups = { maxGroupSize: 100, maxGroupBytes: 8 * 1_048_576, maxGroups: 2 }

function openAccepting(context: InboxContext): Accepting {
  const acceptGroup = createAcceptGroup(context)
  return createGroupCommit((deliveries) => acceptGroup(context.database, deliveries), {
    ...groups,
    // Two concurrent groups may commit in either order.
    ...(context.queue.isOrdered && { maxGroups: 1 }),
    bytesOf: ({ body }) => body.length,
    isItemsFault: isDataFault,
  })
}

/** Migrates the tables, and opens the queue. */
async function openContext<AppTx>(
  database: Database,
  { source, schema, isOrdered, priority, migrate }: OpenInboxOptions<AppTx>,
  onError: (error: unknown) => void,
): Promise<InboxContext> {
  // Only for the schema that most inboxes share, because each has a template of its own.
  if (database.kind === 'pglite' && migrate && schema === defaultSchema)
    await database.open({ initialSql: () => tablesSql(schema) })
  await checkServer(database, schema)
  // A database for tests may be unsafe on purpose. doctor warns of any.
  if (process.env['NODE_ENV'] === 'production') {
    for (const message of await findDatabaseWarnings(database)) onError(new Error(message))
  }
  await installTables(database, { schema, migrate })
  const opening = openQueue({
    name: queueName(source, isOrdered),
    isOrdered,
    priorities: priority,
    schema,
    boss: database.bossOptions(),
    migrate,
    onError,
  })
  const queue = await explained(schema, opening)
  return { database, tables: tablesIn(schema), source, queue }
}

/** A delivery would fail in the same way. */
async function checkStoring(
  context: InboxContext,
  schema: string,
  onError: (error: unknown) => void,
): Promise<void> {
  try {
    await explained(schema, storeNothing(context))
  } catch (error) {
    // The database answered until now, so this waits for a lock, which ends. The health explains it.
    if (codeOf(error) !== 'unavailable') throw error
    onError(error)
  }
}

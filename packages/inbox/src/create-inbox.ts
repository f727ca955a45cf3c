import type { DeliveryInbox, EventDelivery } from '@feed-receiver/core'
import { openDatabase, type Database, type DatabaseTarget } from '@feed-receiver/database'
import { acceptGroup, type Acceptance } from './accept-group.ts'
import { checkDays } from './check-days.ts'
import { checkHealth, type InboxHealth } from './check-health.ts'
import { createEntries, type Entries } from './entries.ts'
import { InboxError } from './errors.ts'
import { every, type Repeating } from './every.ts'
import { finishInOneStatement, finishInTwoStatements } from './finish-entry.ts'
import { createGroupCommit, type CommitGroup, type GroupCommit } from './group-commit.ts'
import type { Handlers } from './handlers.ts'
import { indexJobs } from './index-jobs.ts'
import { insertQuarantine } from './insert-quarantine.ts'
import { installTables } from './install-tables.ts'
import { pruneBytes, type PruneOptions } from './prune-bytes.ts'
import { createQuarantined, type QuarantinedDeliveries } from './quarantined.ts'
import { observeBacklog } from './observe-backlog.ts'
import { openQueue, type DistributedBackend, type Queue } from './queue.ts'
import { findSecretUses, type SecretsOptions, type SecretUse } from './secret-uses.ts'
import { storeInOneStatement, storeInTwoStatements } from './store-entries.ts'
import { sweepEntries } from './sweep-entries.ts'
import { tablesIn } from './tables.ts'
import { countDelivery, traceAccept } from './trace-accept.ts'
import { startWorker } from './worker.ts'

export interface InboxOptions {
  /**
   * A PostgreSQL URL, the app's `pg.Pool`, `{ folder }` for an embedded database, or an open
   * `Database`, which the inbox then does not close.
   * @default { folder: '.feed-receiver/database' }
   */
  database?: DatabaseTarget | Database | undefined
  /**
   * Names the feed, never the route: push and pull of one feed share it, and dedupe each other.
   * @default 'feed'
   */
  source?: string
  /**
   * The schema of the tables; the queue has one of its own beside it.
   * @default 'feed_inbox'
   */
  schema?: string
  /**
   * Says that the URL leads to a distributed engine; pg-boss is told, and the inbox then keeps to
   * transactions of plain statements.
   * @default one PostgreSQL
   */
  backend?: DistributedBackend | undefined
  /**
   * Whether `start` installs and migrates the tables. Without, it changes nothing about them, needs a
   * role that may only read and write rows, and fails with `not_migrated` where something is missing.
   * @default true
   */
  migrate?: boolean
  /**
   * Told of what fails in the background, such as a lost connection that will be made again.
   * @default process.emitWarning
   */
  onError?: (error: unknown) => void
}

export interface WorkOptions {
  /**
   * How many handlers may run at once in this process.
   * @default 4
   */
  concurrency?: number
}

export interface Inbox extends DeliveryInbox, AsyncDisposable {
  /** Opens the database, migrates it and creates the queues. Safe to call again, and at once. */
  start(): Promise<void>
  /** Starts handling what is stored, in this process; once for each start. */
  work(handlers: Handlers, options?: WorkOptions): Promise<void>
  /** Refuses new deliveries, lets running handlers finish for up to 30 seconds, and closes. */
  stop(): Promise<void>
  /** What is stored: to list, search, look into and retry. */
  readonly entries: Entries
  /** What is in quarantine: to list, look into, release and discard. */
  readonly quarantined: QuarantinedDeliveries
  /** Empties the bytes of entries that ended long ago, and gives their number. */
  prune(options?: PruneOptions): Promise<number>
  /** Which secrets have signed, and whether one of them may be removed (R204). */
  secrets(options?: SecretsOptions): Promise<SecretUse[]>
  /** How it is, for a health route; never rejects, and answers within five seconds. */
  health(): Promise<InboxHealth>
}

/** How much may share one statement, and how many of these there may be at once. */
const groups = { maxGroupSize: 100, maxGroupBytes: 8 * 1_048_576, maxGroups: 2 }
const stopTimeoutMs = 30_000
const sweepIntervalMs = 5 * 60_000

/**
 * Makes an inbox, which stores each event once and hands it to its handler. Opens nothing before
 * `start`. Throws `InboxError` `bad_option` for a source that cannot name a queue.
 */
export function createInbox({
  database: target,
  source = 'feed',
  schema = 'feed_inbox',
  backend,
  migrate = true,
  onError = (error) => process.emitWarning(String(error), 'FeedInboxWarning'),
}: InboxOptions = {}): Inbox {
  checkNames(source, schema)
  const tables = tablesIn(schema)
  let running: Promise<Running> | undefined
  let stopping: Promise<void> | undefined

  const inbox: Inbox = {
    async start() {
      await stopping
      running ??= open().catch((error: unknown) => {
        running = undefined
        throw error
      })
      await running
    },
    async accept(delivery) {
      const { accepting } = await whenRunning()
      return await traceAccept(delivery, source, (traced) => accepting.add(traced))
    },
    async quarantine(delivery, reason) {
      const { database } = await whenRunning()
      const { eventId, detail } = delivery
      await insertQuarantine(database, tables.quarantine, source, {
        delivery,
        reason,
        eventId,
        detail,
      })
      countDelivery(source, 'quarantined')
    },
    async work(handlers, { concurrency = 4 } = {}) {
      const opened = await whenRunning()
      if (opened.isWorking) {
        throw new InboxError('already_working', 'This inbox is working already; call work once.')
      }
      opened.isWorking = true
      const { database, queue } = opened
      const table = tables.entry
      const finishWay = backend === undefined ? finishInOneStatement : finishInTwoStatements
      const finishEntry = finishWay({ table, queue })
      const place = { database, table, source, queue }
      await startWorker({ ...place, finishEntry, handlers, concurrency, onError })
      opened.sweeping = every(sweepIntervalMs, () => sweepEntries(place), onError)
    },
    async stop() {
      stopping ??= shut().finally(() => (stopping = undefined))
      await stopping
    },
    [Symbol.asyncDispose]: () => inbox.stop(),
    entries: createEntries({ tables, source, whenRunning }),
    quarantined: createQuarantined({ tables, source, whenRunning }),
    async prune({ bytesAfterDays = 90 } = {}) {
      checkDays('bytesAfterDays', bytesAfterDays)
      const { database } = await whenRunning()
      return await pruneBytes(database, tables.entry, source, bytesAfterDays)
    },
    async secrets({ days = 7 } = {}) {
      checkDays('days', days)
      const { database } = await whenRunning()
      return await findSecretUses(database, tables.entry, source, days)
    },
    health: () => checkHealth(whenRunning, tables, source),
  }
  return inbox

  async function open(): Promise<Running> {
    const isOurs = !isDatabase(target)
    const database = isDatabase(target) ? target : openDatabase(target)
    try {
      await installTables(database, schema, migrate)
      const boss = database.bossOptions()
      const queue = await openQueue({
        name: source,
        schema: `${schema}_queue`,
        boss,
        backend,
        migrate,
        onError,
      })
      if (migrate) await indexJobs(database, schema)
      const accepting = createGroupCommit<EventDelivery, Acceptance>(
        chooseAccept(database, queue),
        { ...groups, bytesOf: ({ body }) => body.length },
      )
      const stopObserving = observeBacklog(source, inbox.health)
      return { database, isOurs, queue, accepting, stopObserving, isWorking: false }
    } catch (error) {
      if (isOurs) await database.close()
      throw error
    }
  }

  function chooseAccept(database: Database, queue: Queue): CommitGroup<EventDelivery, Acceptance> {
    const place = { table: tables.entry, source, queue }
    if (backend === undefined) {
      const storeEntries = storeInOneStatement(place)
      return (deliveries) => acceptGroup(database, deliveries, { tables, source, storeEntries })
    }
    const storeEntries = storeInTwoStatements(place)
    return (deliveries) =>
      database.tx((tx) => acceptGroup(tx, deliveries, { tables, source, storeEntries }))
  }

  async function whenRunning(): Promise<Running> {
    if (running && !stopping) return running
    throw new InboxError('not_running', 'This inbox is not running: call `await inbox.start()`.')
  }

  async function shut(): Promise<void> {
    const opened = await running?.catch(() => undefined)
    if (!opened) return
    opened.stopObserving()
    await opened.accepting.settle()
    await opened.sweeping?.stop()
    await opened.queue.stop(stopTimeoutMs)
    if (opened.isOurs) await opened.database.close()
    running = undefined
  }
}

/** What an inbox holds while it runs. */
interface Running {
  database: Database
  isOurs: boolean
  queue: Queue
  accepting: GroupCommit<EventDelivery, Acceptance>
  /** Takes its backlog out of the metrics. */
  stopObserving: () => void
  isWorking: boolean
  sweeping?: Repeating
}

function isDatabase(target: InboxOptions['database']): target is Database {
  return typeof target === 'object' && 'bossOptions' in target
}

function checkNames(source: string, schema: string): void {
  if (!/^[a-z][a-z0-9_-]{0,39}$/.test(source)) {
    throw new InboxError('bad_option', 'source: use 1 to 40 of a-z, 0-9, - and _, a letter first.')
  }
  if (!/^[a-z][a-z0-9_]{0,39}$/.test(schema)) {
    throw new InboxError('bad_option', 'schema: use 1 to 40 of a-z, 0-9 and _, a letter first.')
  }
}

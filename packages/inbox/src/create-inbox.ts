import type { DeliveryInbox, FeedEvent } from '@feed-receiver/core'
import type { Database, DatabaseTarget, Tx } from '@feed-receiver/database'
import { acceptPage, type AcceptPageOptions, type PageAcceptance } from './accept-page.ts'
import type { RunInTransaction } from './app-transaction.ts'
import { checkDays } from './check-days.ts'
import { checkHealth, type InboxHealth } from './check-health.ts'
import { startDrain, type Drained, type DrainOptions } from './drain-entries.ts'
import { createEntries, type Entries } from './entries.ts'
import { InboxError } from './errors.ts'
import { findActivity, type Activity, type ActivityOptions } from './find-activity.ts'
import { finishInOneStatement, finishInTwoStatements } from './finish-entry.ts'
import { createGaps, type Gaps } from './gaps.ts'
import type { Handlers } from './handlers.ts'
import { insertQuarantine } from './insert-quarantine.ts'
import {
  listOperations,
  type ListOperationsOptions,
  type OperationPage,
} from './list-operations.ts'
import { openInbox, type OpenInbox } from './open-inbox.ts'
import { pruneBytes, type PruneOptions } from './prune-bytes.ts'
import { createQuarantined, type QuarantinedDeliveries } from './quarantined.ts'
import type { DistributedBackend } from './queue.ts'
import { reportTo } from './report-to.ts'
import { createRunner, type Runner } from './runner.ts'
import { findSecretUses, type SecretsOptions, type SecretUse } from './secret-uses.ts'
import { startWorking, sweepIntervalMs } from './start-working.ts'
import { createStreams, type Streams } from './streams.ts'
import { tablesIn } from './tables.ts'
import { countDelivery, countPulled, traceAccept } from './trace-accept.ts'
import { createWorker } from './worker.ts'

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
   * With `'subject'`, events about one subject of one provider are handled one after the other, in
   * the order in which they were accepted; those behind one that fails wait until it is done or dead.
   * Every process of one inbox has to say the same.
   * @default as they come, several at once
   */
  ordered?: 'subject' | undefined
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
   * How long `stop` waits for running handlers, in milliseconds; their signals are aborted when four
   * fifths of it are over.
   * @default 25_000
   */
  stopTimeoutMs?: number
  /**
   * Told of what fails in the background, such as a lost connection that will be made again. What it
   * cannot take itself becomes a warning of the process.
   * @default process.emitWarning
   */
  onError?: (error: unknown) => unknown
}

export interface TransactionOptions<AppTx> {
  /**
   * Opens the app's own transaction, of Drizzle or Kysely for example, on the database of the inbox.
   * Handlers get it as `tx`, and their entry is marked as done in it.
   */
  transaction: RunInTransaction<AppTx>
}

export interface WorkOptions {
  /**
   * How many handlers may run at once in this process.
   * @default 4
   */
  concurrency?: number
}

export interface Inbox<AppTx = Tx> extends DeliveryInbox, AsyncDisposable {
  /** Opens the database, migrates it and creates the queues. Safe to call again, and at once. */
  start(): Promise<void>
  /**
   * Starts handling what is stored, in this process; once for each start. Errors: `bad_handler`,
   * `already_working`.
   */
  work(handlers: Handlers<AppTx>, options?: WorkOptions): Promise<void>
  /** Handles what is due and returns, for where nothing runs for long. Errors: `bad_handler`. */
  drain(handlers: Handlers<AppTx>, options?: DrainOptions): Promise<Drained>
  /**
   * Stores a page of the pull API, oldest first, and the cursor behind it, both or neither. What is
   * known already is not stored again; where its content has changed, its handler is told. Errors:
   * `lease_lost`.
   */
  acceptPage(events: readonly FeedEvent[], options: AcceptPageOptions): Promise<PageAcceptance>
  /** Refuses new deliveries, lets running handlers finish for some time, and closes. */
  stop(): Promise<void>
  /** What is stored: to list, search, look into and retry. */
  readonly entries: Entries
  /** What is in quarantine: to list, look into, release and discard. */
  readonly quarantined: QuarantinedDeliveries
  /** How far the streams of the pull API have been read, and who reads them. */
  readonly streams: Streams
  /** What one way has brought and the other has not. */
  readonly gaps: Gaps
  /** Empties the bytes of entries that ended long ago, and gives their number. */
  prune(options?: PruneOptions): Promise<number>
  /** Which secrets have signed, and whether one of them may be removed (R204). */
  secrets(options?: SecretsOptions): Promise<SecretUse[]>
  /** What people have done to it, such as retries, the latest first. */
  operations(options?: ListOperationsOptions): Promise<OperationPage>
  /** What came in the last hours, and what became of it. */
  activity(options?: ActivityOptions): Promise<Activity>
  /** How it is, for a health route; never rejects, and answers within five seconds. */
  health(): Promise<InboxHealth>
}

/**
 * Makes an inbox, which stores each event once and hands it to its handler. Opens nothing before
 * `start`. Throws `InboxError` `bad_option` for names that cannot stand in SQL.
 */
export function createInbox(options?: InboxOptions): Inbox
export function createInbox<AppTx>(options: InboxOptions & TransactionOptions<AppTx>): Inbox<AppTx>
export function createInbox<AppTx>(
  options: InboxOptions & Partial<TransactionOptions<AppTx>> = {},
): Inbox | Inbox<AppTx> {
  const { transaction } = options
  if (transaction) return makeInbox(options, () => transaction)
  return makeInbox(options, (database) => (run) => database.tx((tx) => run(tx, tx)))
}

function makeInbox<AppTx>(
  {
    database: target,
    source = 'feed',
    schema = 'feed_inbox',
    ordered,
    backend,
    migrate = true,
    stopTimeoutMs = 25_000,
    onError: report,
  }: InboxOptions,
  transactionOn: (database: Database) => RunInTransaction<AppTx>,
): Inbox<AppTx> {
  checkNames(source, schema)
  checkBackend(backend)
  checkTime('stopTimeoutMs', stopTimeoutMs)
  const tables = tablesIn(schema)
  const onError = reportTo(report)
  const place = { tables, source, isOrdered: ordered === 'subject', backend, onError }
  let running: Promise<OpenInbox> | undefined
  let stopping: Promise<void> | undefined

  const inbox: Inbox<AppTx> = {
    async start() {
      await stopping
      running ??= openInbox({ ...place, target, schema, migrate, health: inbox.health }).catch(
        (error: unknown) => {
          running = undefined
          throw error
        },
      )
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
    async acceptPage(events, options) {
      const { database, queue } = await whenRunning()
      const isOneStatement = backend === undefined
      const here = { tables, source, queue, isOneStatement }
      const page = await acceptPage(database, events, options, here)
      countPulled(source, page)
      return page
    },
    async work(handlers, { concurrency = 4 } = {}) {
      const opened = await whenRunning()
      if (opened.worker) {
        throw new InboxError('already_working', 'This inbox is working already; call work once.')
      }
      const runner = runnerOn(opened, handlers, concurrency)
      const working = startWorking({ queue: opened.queue, runner, sweep: opened.sweep, onError })
      opened.worker = working
      opened.active.add(working)
      await working.begun.catch((error: unknown) => {
        delete opened.worker
        opened.active.delete(working)
        throw error
      })
    },
    async drain(handlers, { forMs = 20_000, concurrency = 4 } = {}) {
      checkTime('forMs', forMs)
      const opened = await whenRunning()
      const runner = runnerOn(opened, handlers, concurrency)
      await sweepIfDue(opened)
      const drain = startDrain(runner, forMs)
      opened.active.add(drain)
      return await drain.drained.finally(() => opened.active.delete(drain))
    },
    async stop() {
      stopping ??= shut().finally(() => (stopping = undefined))
      await stopping
    },
    [Symbol.asyncDispose]: () => inbox.stop(),
    entries: createEntries({ tables, source, whenRunning }),
    quarantined: createQuarantined({ tables, source, whenRunning }),
    streams: createStreams({ tables, source, whenRunning }),
    gaps: createGaps({ tables, source, whenRunning }),
    async prune({ bytesAfterDays = 90 } = {}) {
      checkDays('bytesAfterDays', bytesAfterDays)
      const { database } = await whenRunning()
      return await pruneBytes(database, { tables, source, bytesAfterDays })
    },
    async secrets({ days = 7 } = {}) {
      checkDays('days', days)
      const { database } = await whenRunning()
      return await findSecretUses(database, tables.entry, source, days)
    },
    async operations(options) {
      const { database } = await whenRunning()
      return await listOperations(database, tables, source, options)
    },
    async activity({ hours = 24 } = {}) {
      checkHours(hours)
      const { database, queue } = await whenRunning()
      const now = Date.now()
      return await findActivity(database, tables, { source, queue: queue.name, hours, now })
    },
    health: () => checkHealth(whenRunning, tables, source),
  }
  return inbox

  function runnerOn(
    { database, queue }: OpenInbox,
    handlers: Handlers<AppTx>,
    concurrency: number,
  ): Runner {
    checkConcurrency(concurrency)
    const finishWay = backend === undefined ? finishInOneStatement : finishInTwoStatements
    const finishEntry = finishWay({ table: tables.entry, queue })
    const runInTransaction = transactionOn(database)
    const on = { database, tables, source, queue, runInTransaction, finishEntry, onError }
    const worker = createWorker({ ...on, handlers })
    return createRunner({ queue, worker, concurrency, onError })
  }

  /** Where no process works for long, nobody else sweeps. */
  async function sweepIfDue(opened: OpenInbox): Promise<void> {
    if (opened.sweptAt !== undefined && performance.now() - opened.sweptAt < sweepIntervalMs) return
    opened.sweptAt = performance.now()
    await opened.sweep().catch(onError)
  }

  async function whenRunning(): Promise<OpenInbox> {
    if (running && !stopping) return running
    throw new InboxError('not_running', 'This inbox is not running: call `await inbox.start()`.')
  }

  async function shut(): Promise<void> {
    const opened = await running?.catch(() => undefined)
    await opened?.close(stopTimeoutMs)
    running = undefined
  }
}

function checkHours(hours: number): void {
  if (hours > 0 && hours <= 24 * 366) return
  throw new InboxError('bad_option', 'hours: use a number above 0, up to a year.')
}

function checkConcurrency(concurrency: number): void {
  if (Number.isInteger(concurrency) && concurrency >= 1 && concurrency <= 1_000) return
  throw new InboxError('bad_option', 'concurrency: use a whole number from 1 to 1,000.')
}

function checkTime(name: string, ms: number): void {
  if (ms >= 0 && ms < 2 ** 31) return
  throw new InboxError('bad_option', `${name}: use a number of milliseconds, 0 or more.`)
}

function checkNames(source: string, schema: string): void {
  if (!/^[a-z][a-z0-9_-]{0,39}$/.test(source)) {
    throw new InboxError('bad_option', 'source: use 1 to 40 of a-z, 0-9, - and _, a letter first.')
  }
  if (!/^[a-z][a-z0-9_]{0,39}$/.test(schema)) {
    throw new InboxError('bad_option', 'schema: use 1 to 40 of a-z, 0-9 and _, a letter first.')
  }
}

// From JavaScript it may be any that pg-boss knows; CockroachDB is one, and lacks what our tables need.
function checkBackend(backend: string | undefined): void {
  if (backend === undefined || backend === 'citus' || backend === 'yugabytedb') return
  throw new InboxError(
    'bad_option',
    "backend: use 'citus' or 'yugabytedb', or leave it out for PostgreSQL.",
  )
}

import type { Database } from '@feed-receiver/database'
import { insertQuarantine } from './accept/insert-quarantine.ts'
import { countDelivery, countPulled, traceAccept } from './accept/trace-accept.ts'
import { watchDisk } from './accept/watch-disk.ts'
import {
  checkBackend,
  checkConcurrency,
  checkDays,
  checkHours,
  checkNames,
  checkTime,
} from './check-options.ts'
import { InboxError } from './errors.ts'
import type { RunInTransaction } from './queue/app-transaction.ts'
import { startDrain } from './handle/drain-entries.ts'
import { finishInOneStatement } from './handle/finish-entry.ts'
import type { Handlers } from './handle/handlers.ts'
import { createRunner, type Runner } from './handle/runner.ts'
import { startWorking, sweepIntervalMs } from './handle/start-working.ts'
import { createWorker } from './handle/worker.ts'
import type { Inbox, InboxOptions, TransactionOptions } from './inbox.ts'
import { checkHealth } from './operate/check-health.ts'
import { createEntries } from './operate/entries.ts'
import { findActivity } from './operate/find-activity.ts'
import { listOperations } from './operate/list-operations.ts'
import { pruneBytes } from './operate/prune-bytes.ts'
import { createQuarantined } from './operate/quarantined.ts'
import { findSecretUses } from './operate/secret-uses.ts'
import type { OpenInbox } from './open-inbox.ts'
import { acceptPage } from './pull/accept-page.ts'
import { createGaps } from './operate/gaps.ts'
import { createStreams } from './pull/streams.ts'
import { reportTo } from './report-to.ts'
import { tablesIn } from './entry/tables.ts'

/**
 * Makes an inbox, which stores each event once and hands it to its handler. Opens nothing before
 * `start`. Throws `InboxError` `bad_option` for names that cannot stand in SQL.
 */
export function createInbox(options?: InboxOptions): Inbox
export function createInbox<AppTx>(options: InboxOptions & TransactionOptions<AppTx>): Inbox<AppTx>
export function createInbox<AppTx>(
  options: InboxOptions & Partial<TransactionOptions<AppTx>> = {},
): Inbox | Inbox<AppTx> {
  checkBackend(options)
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
    migrate = true,
    stopTimeoutMs = 25_000,
    onError: report,
  }: InboxOptions,
  transactionOn: (database: Database) => RunInTransaction<AppTx>,
): Inbox<AppTx> {
  checkNames(source, schema)
  checkTime('stopTimeoutMs', stopTimeoutMs)
  const tables = tablesIn(schema)
  const onError = reportTo(report)
  const place = { tables, source, isOrdered: ordered === 'subject', onError }
  const disk = watchDisk()
  let running: Promise<OpenInbox> | undefined
  let stopping: Promise<void> | undefined

  const inbox: Inbox<AppTx> = {
    async start() {
      // Otherwise at once, so that a delivery which follows finds a start to wait for.
      if (stopping) await stopping
      running ??= open().catch((error: unknown) => {
        running = undefined
        throw error
      })
      await running
    },
    async accept(delivery) {
      const { accepting } = await whenRunning()
      return await disk.watch(traceAccept(delivery, source, (traced) => accepting.add(traced)))
    },
    async quarantine(delivery, reason) {
      const { database } = await whenRunning()
      const { eventId, detail } = delivery
      const row = { delivery, reason, eventId, detail }
      await disk.watch(insertQuarantine(database, tables.quarantine, source, row))
      countDelivery(source, 'quarantined')
    },
    async acceptPage(events, options) {
      const { database, queue } = await whenRunning()
      const here = { tables, source, queue }
      const page = await disk.watch(acceptPage(database, events, options, here))
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
    async prune({ bytesAfterDays = 90, signal } = {}) {
      checkDays('bytesAfterDays', bytesAfterDays)
      const { database } = await whenRunning()
      return await pruneBytes(database, { tables, source, bytesAfterDays, signal })
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
    health: () => checkHealth(whenRunning, { tables, source, isDiskFull: disk.isFull }),
  }
  return inbox

  /** Loads the database and the queue only now, because they take longest to load. */
  async function open(): Promise<OpenInbox> {
    const { openInbox } = await import('./open-inbox.ts')
    return await openInbox({ ...place, target, schema, migrate, health: inbox.health })
  }

  function runnerOn(
    { database, queue }: OpenInbox,
    handlers: Handlers<AppTx>,
    concurrency: number,
  ): Runner {
    checkConcurrency(concurrency)
    const finishEntry = finishInOneStatement({ table: tables.entry, queue })
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

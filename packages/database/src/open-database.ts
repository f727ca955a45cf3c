import { AsyncLocalStorage } from 'node:async_hooks'
import { resolve } from 'node:path'
import type { BossOptions, Driver, Queryable, TransactionLimits, Tx } from './driver.ts'
import { DatabaseError } from './errors.ts'
import { guardTx } from './guarded-tx.ts'
import { lazyTransaction } from './lazy-transaction.ts'
import { migrateFolder, missingMigrations, type MigrateOptions } from './migrate.ts'
import { pgliteDriver } from './pglite.ts'
import { postgresDriver } from './postgres.ts'
import type { PgPool } from './postgres-client.ts'

/** A PostgreSQL URL, the app's own `pg.Pool`, or a folder for an embedded database. */
export type DatabaseTarget = string | PgPool | { folder: string }

export interface DatabaseOptions {
  /** Connections to PostgreSQL at once; a given pool has its own limit. @default 10 */
  maxConnections?: number
  /** Connections that pg-boss may have beside them, its listener not counted. @default 4 */
  maxBossConnections?: number
  /** How long to wait for a connection to PostgreSQL, in milliseconds. @default 4000 */
  connectionTimeoutMs?: number
  /** How long one statement may take on PostgreSQL, in milliseconds. @default 4500 */
  queryTimeoutMs?: number
  /** How long one transaction in which pg-boss maintains its jobs may take there. @default 30000 */
  maintenanceTimeoutMs?: number
  /** How long one statement of a migration may take on PostgreSQL, in milliseconds. @default 60000 */
  migrationTimeoutMs?: number
  /** What PostgreSQL shows in `pg_stat_activity`. @default 'feed-receiver' */
  applicationName?: string
  /** How long to wait for another process to leave the embedded folder, in milliseconds. @default 5000 */
  lockWaitMs?: number
}

export interface Database extends Queryable, AsyncDisposable {
  readonly kind: 'postgres' | 'pglite'
  /**
   * Runs a function in one transaction: commits when it resolves, rolls back when it rejects. Inside
   * it only the handle may be used; the database itself refuses. The transaction begins with the
   * first statement, so that a function that is slow before it holds no connection.
   *
   * Errors: `tx_aborted` when a failed statement was caught, `unavailable` when the connection failed
   * (during COMMIT: the outcome is unknown), `outside_tx` inside another transaction.
   */
  tx<T>(run: (tx: Tx) => Promise<T>): Promise<T>
  /**
   * Applies the folder's `NNNN-name.sql` files that are not applied yet, in order, and returns their
   * names. All in one transaction, whose search_path is the schema. Several processes may call it at
   * once. Errors: `migration_changed`, `migration_newer`, `migration_order`, `migration_failed`,
   * `migration_folder`, `bad_schema`.
   */
  migrate(folder: string | URL, options: MigrateOptions): Promise<string[]>
  /**
   * The names of the files that `migrate` would apply. Changes nothing, and needs no more rights than
   * to read. Errors as above, but for `migration_failed`.
   */
  missingMigrations(folder: string | URL, options: MigrateOptions): Promise<string[]>
  /** For `new PgBoss({ ...database.bossOptions(), schema })`. Opens nothing by itself. */
  bossOptions(): BossOptions
  /** Opens now instead of at the first call. Errors: `unavailable`, `date_style`, `locked`, … */
  open(): Promise<void>
  /** Waits for what is running, then closes; a given pool stays open. Later calls are refused. */
  close(): Promise<void>
}

/**
 * One small database over PostgreSQL or an embedded PGlite. Opens nothing before the first call, so a
 * module may hold one at its top level.
 *
 * Errors: `bad_target`, `bad_option`.
 */
export function openDatabase(
  target: DatabaseTarget = { folder: '.feed-receiver/database' },
  {
    maxConnections = 10,
    maxBossConnections = 4,
    connectionTimeoutMs = 4000,
    queryTimeoutMs = 4500,
    maintenanceTimeoutMs = 30_000,
    migrationTimeoutMs = 60_000,
    applicationName = 'feed-receiver',
    lockWaitMs = 5000,
  }: DatabaseOptions = {},
): Database {
  assertWhole({ maxConnections, maxBossConnections, connectionTimeoutMs, queryTimeoutMs }, 1)
  assertWhole({ maintenanceTimeoutMs, migrationTimeoutMs }, 1)
  assertWhole({ lockWaitMs }, 0)

  const driver = isFolder(target)
    ? pgliteDriver(resolve(target.folder), { lockWaitMs })
    : postgresDriver(postgresTarget(target), {
        maxConnections,
        maxBossConnections,
        connectionTimeoutMs,
        queryTimeoutMs,
        maintenanceTimeoutMs,
        applicationName,
      })
  return databaseOn(driver, { queryTimeoutMs: migrationTimeoutMs })
}

function databaseOn(driver: Driver, migrationLimits: TransactionLimits): Database {
  const transactions = new AsyncLocalStorage<{ tx: Tx; isOpen: boolean }>()
  const running = new Set<Promise<unknown>>()
  let openTransactions = 0
  let closing: Promise<void> | undefined

  const database: Database = {
    kind: driver.kind,
    query: (text, values = [], options) => enter(() => driver.query(text, values, options)),
    tx: (run) => enter(() => tx(run)),
    migrate: (folder, options) =>
      enter(() => migrateFolder((run) => tx(run, migrationLimits), folder, options)),
    missingMigrations: (folder, options) =>
      enter(() => missingMigrations((run) => tx(run), folder, options)),
    bossOptions: () => driver.bossOptions({ enter, currentTx }),
    open: () => enter(() => driver.open()),
    async close() {
      assertOutsideTx()
      closing ??= Promise.allSettled(running).then(() => driver.close())
      await closing
    },
    [Symbol.asyncDispose]: () => database.close(),
  }
  return database

  async function enter<T>(run: () => Promise<T>): Promise<T> {
    if (closing) throw afterClose()
    assertOutsideTx()
    const call = run()
    running.add(call)
    try {
      return await call
    } finally {
      running.delete(call)
    }
  }

  // PGlite has one connection, so such a call would wait for its own transaction for ever. PostgreSQL
  // would run it on another connection, where it outlives a rollback unnoticed. Refused on both, so
  // that what works on one works on the other.
  function assertOutsideTx(): void {
    if (!currentTx()) return
    throw new DatabaseError(
      'outside_tx',
      'The database was used inside its own transaction. Use the tx handle that tx() passes to your ' +
        'function for every statement in it, and { db: tx } for pg-boss.',
    )
  }

  function currentTx(): Tx | undefined {
    const current = transactions.getStore()
    return current?.isOpen ? current.tx : undefined
  }

  async function tx<T>(run: (tx: Tx) => Promise<T>, limits?: TransactionLimits): Promise<T> {
    const lazy = lazyTransaction((use) => driver.transaction(use, limits))
    const guarded = guardTx(lazy.tx)
    const state = { tx: guarded.tx, isOpen: true }
    openTransactions += 1
    try {
      const result = await transactions.run(state, () => run(guarded.tx))
      await guarded.settle()
      await lazy.commit()
      guarded.committed()
      return result
    } catch (error) {
      await guarded.settle()
      await lazy.rollBack(error)
      throw error
    } finally {
      state.isOpen = false
      openTransactions -= 1
      // On Node 20 a storage in use makes every promise of the process dearer.
      if (openTransactions === 0) transactions.disable()
    }
  }
}

function isFolder(target: DatabaseTarget): target is { folder: string } {
  return typeof target === 'object' && 'folder' in target
}

// Never quotes more of a wrong target than its scheme: the rest may be a password.
function postgresTarget(target: string | PgPool): string | PgPool {
  if (typeof target !== 'string') return target
  if (/^postgres(?:ql)?:\/\//.test(target)) return target
  const scheme = /^[a-z][a-z0-9+.-]*:\/\//i.exec(target)?.[0]
  const given = scheme ? `a URL that starts with ${scheme}` : 'a text that is not such a URL'
  throw new DatabaseError(
    'bad_target',
    'A database is a URL that starts with postgres:// or postgresql://, a pg.Pool, or { folder } for ' +
      `an embedded one, which is also what leaving it out gives. This was ${
        target === '' ? 'an empty text: leave the database out instead of empty' : given
      }.`,
  )
}

function assertWhole(values: Record<string, number>, least: number): void {
  for (const [name, value] of Object.entries(values)) {
    if (Number.isSafeInteger(value) && value >= least) continue
    throw new DatabaseError(
      'bad_option',
      `The option ${name} is a whole number from ${least} up, and it was ${String(value)}.`,
    )
  }
}

function afterClose(): DatabaseError {
  return new DatabaseError(
    'closed',
    'This database was closed. Close it after the last use, or open a new one with openDatabase().',
  )
}

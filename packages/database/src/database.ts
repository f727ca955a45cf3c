import { AsyncLocalStorage } from 'node:async_hooks'
import type {
  BossOptions,
  Driver,
  OpenOptions,
  OpenTx,
  Queryable,
  StatementLimits,
  Tx,
  TxOptions,
  TxPart,
} from './driver.ts'
import { DatabaseError } from './errors.ts'
import { lazyTx } from './lazy-tx.ts'
import type { Migrations } from './migrate/migration-files.ts'
import { applyMigrations, missingMigrations, type MigrateOptions } from './migrate/migrate.ts'
import { untilAvailable } from './until-available.ts'

// On Node 20 an AsyncLocalStorage in use slows down every promise of the process. Some runtimes
// cannot disable one.
const canDisable = canBeDisabled(new AsyncLocalStorage())

export interface Database extends Queryable, AsyncDisposable {
  readonly kind: 'postgres' | 'pglite'
  /** How many transactions can be open at once. */
  readonly maxConnections: number
  /**
   * Runs a function in one transaction: commits when it resolves, rolls back when it rejects. On
   * PostgreSQL it is `read committed`, unless its first statement sets another isolation level.
   * Inside it you may use only the handle; the database itself rejects calls. The transaction
   * begins with the first statement, so slow code before it holds no connection.
   *
   * Errors: `tx_aborted` if the function caught the error of a failed statement (with a last
   * statement, that one's `25P02`), `unavailable` if
   * the connection failed (during COMMIT: the outcome is unknown), `outside_tx` inside another
   * transaction.
   */
  tx<T>(run: (tx: OpenTx) => Promise<T>, options?: TxOptions): Promise<T>
  /**
   * Runs a function as if it were called outside of the transaction around it, while that has not
   * begun. Errors: `outside_tx` once it has, because the embedded database would wait for it.
   */
  outside<T>(run: () => Promise<T>): Promise<T>
  /**
   * Opens a connection for urgent statements, before later calls open others. Call it before
   * transactions in which code of the app runs, because these may hold all others. Without it, an
   * urgent statement opens one once all others are in use.
   */
  reserve(): void
  /**
   * Applies the pending migrations in order, and returns their names. Pass a folder with
   * `NNNN-name.sql` files, or an object with the SQL of each file by its name. All run in one
   * transaction, whose search_path is the schema. Several processes may call it at once.
   * Errors: `migration_changed`, `migration_newer`, `migration_order`, `migration_failed`,
   * `migration_folder`, `bad_schema`.
   */
  migrate(migrations: Migrations, options: MigrateOptions): Promise<string[]>
  /**
   * Returns the names of the files that `migrate` would apply. Changes nothing, and needs only read
   * access. Errors: as `migrate`, except `migration_failed`.
   */
  missingMigrations(migrations: Migrations, options: MigrateOptions): Promise<string[]>
  /**
   * Options for `new PgBoss({ ...database.bossOptions(), schema })`. Opens no connection itself.
   */
  bossOptions(): BossOptions
  /**
   * Opens the database now, not at the first call. Errors: `bad_target`, `no_database`,
   * `bad_folder`, `pglite_missing`, `disk_full`, `locked`, `unavailable`, `closed`.
   */
  open(options?: OpenOptions): Promise<void>
  /** Waits for running calls, then closes; a given pool stays open. Later calls are rejected. */
  close(): Promise<void>
}

/** Makes a database on a driver: counts running calls, and rejects calls inside a transaction. */
export function createDatabase(driver: Driver, migrationTimeoutMs: number): Database {
  const transactions = new AsyncLocalStorage<{ tx: Tx; isOpen: boolean } | undefined>()
  const running = new Set<Promise<unknown>>()
  let openTransactions = 0
  let closing: Promise<void> | undefined

  const database: Database = {
    kind: driver.kind,
    maxConnections: driver.maxConnections,
    query: (text, values = [], options) => enter(() => driver.query(text, values, options)),
    tx: (run, { waitUntil, statementTimeoutMs } = {}) =>
      enter(() => tx(run, { statementTimeoutMs }, waitUntil)),
    async outside(run) {
      const around = currentTx()
      if (around?.isBegun) assertOutsideTx()
      return await (around ? transactions.run(undefined, run) : run())
    },
    reserve() {
      assertOpen()
      driver.reserve()
    },
    migrate: (migrations, options) =>
      enter(() =>
        applyMigrations(
          (run) => tx(run, { queryTimeoutMs: migrationTimeoutMs }),
          migrations,
          options,
        ),
      ),
    missingMigrations: (migrations, options) =>
      enter(() => missingMigrations((run) => tx(run), migrations, options)),
    bossOptions: () => driver.bossOptions({ enter, currentTx }),
    open: (options) => enter(() => driver.open(options)),
    async close() {
      assertOutsideTx()
      closing ??= Promise.allSettled(running).then(() => driver.close())
      await closing
    },
    [Symbol.asyncDispose]: () => database.close(),
  }
  return database

  async function enter<T>(run: () => Promise<T>): Promise<T> {
    assertOpen()
    assertOutsideTx()
    const call = run()
    running.add(call)
    try {
      return await call
    } finally {
      running.delete(call)
    }
  }

  // PGlite has one connection, so such a call would wait for its own transaction for ever.
  // PostgreSQL would run it on another connection, where it survives a rollback unnoticed. Both
  // reject it, so that code for one also works on the other.
  function assertOutsideTx(): void {
    if (currentTx())
      throw new DatabaseError(
        'outside_tx',
        'The database was used inside its own transaction. Use the tx handle that tx() passes to your function for every statement in it, and { db: tx } for pg-boss.',
      )
  }

  function currentTx(): Tx | undefined {
    const current = transactions.getStore()
    return current?.isOpen ? current.tx : undefined
  }

  /** Begins again while the server is unavailable, because nothing has come of the first statement. */
  function beginUntil(signal: AbortSignal): Driver['begin'] {
    return async (first, limits) => {
      let isAgain = false
      return await untilAvailable(async () => {
        // Closing waits for a transaction that is open, and not for one that cannot begin.
        if (isAgain) assertOpen()
        isAgain = true
        return await driver.begin(first, limits)
      }, signal)
    }
  }

  function assertOpen(): void {
    if (closing)
      throw new DatabaseError(
        'closed',
        'This database is closed. Close it after the last use, or open a new one with openDatabase().',
      )
  }

  async function tx<T>(
    run: (tx: OpenTx) => Promise<T>,
    limits?: StatementLimits,
    waitUntil?: AbortSignal,
  ): Promise<T> {
    const begin = waitUntil ? beginUntil(waitUntil) : driver.begin
    const { tx: whole, openPart, commit, rollBack } = lazyTx((first) => begin(first, limits))
    const handle = Object.assign(whole, { part })
    const state = { tx: handle, isOpen: true }
    openTransactions += 1
    try {
      const result = await transactions.run(state, async () => run(handle)).catch(rollBack)
      await commit()
      return result
    } finally {
      state.isOpen = false
      openTransactions -= 1
      if (openTransactions === 0 && canDisable) transactions.disable()
    }

    async function part<Part>(runPart: (tx: TxPart) => Promise<Part>): Promise<Part> {
      const opened = openPart()
      const stateOfPart = { tx: opened.tx, isOpen: true }
      try {
        return await transactions.run(stateOfPart, async () => runPart(opened.tx))
      } finally {
        stateOfPart.isOpen = false
        opened.close()
      }
    }
  }
}

function canBeDisabled(storage: AsyncLocalStorage<unknown>): boolean {
  try {
    storage.disable()
    return true
  } catch {
    return false
  }
}

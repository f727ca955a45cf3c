/** The rows, and how many rows the statement returned or changed. */
export interface Result<Row> {
  rows: Row[]
  rowCount: number
}

export interface DatabaseOptions {
  /** The size of the connection pool to PostgreSQL; a given pool has its own limit. @default 10 */
  maxConnections?: number
  /** Additional connections for pg-boss, not counting its listener. @default 4 */
  maxBossConnections?: number
  /** Time limit for getting a connection to PostgreSQL, in milliseconds. @default 4000 */
  connectionTimeoutMs?: number
  /** Time limit for one statement on PostgreSQL, in milliseconds. @default 4500 */
  queryTimeoutMs?: number
  /**
   * Time limit for one maintenance transaction of pg-boss on PostgreSQL, in milliseconds.
   * @default 30000
   */
  maintenanceTimeoutMs?: number
  /** Time limit for one statement of a migration on PostgreSQL, in milliseconds. @default 60000 */
  migrationTimeoutMs?: number
  /**
   * Where to listen for notifications. If the target is PgBouncer in transaction mode, which loses
   * notifications, set a URL that leads directly to PostgreSQL. The embedded database needs none.
   * @default the target itself
   */
  listenUrl?: string | undefined
  /** The application name in `pg_stat_activity`. @default 'feed-receiver' */
  applicationName?: string
  /** Milliseconds to wait for another process to release an embedded folder. @default 5000 */
  lockWaitMs?: number
  /**
   * Whether other processes of the same user may use an embedded folder through the process that
   * has it open. If false, only this process uses the folder, and never through another process.
   * @default true
   */
  isShared?: boolean
  /**
   * Whether this process is a guest in an embedded folder: it releases the folder to any process
   * that is not a guest, and then works through that process. For a tool beside an app.
   * @default false
   */
  isGuest?: boolean
}

export interface QueryOptions {
  /**
   * Whether the statement runs often, so that each connection keeps its plan. It has no effect if a
   * pooler loses prepared statements.
   * @default false
   */
  isRepeated?: boolean
  /**
   * Whether someone waits for the answer, as a sender does for the answer to its delivery. The
   * embedded database runs one statement at a time, and runs an urgent one before earlier ones.
   * On PostgreSQL an urgent one has a connection of its own, if all others are in use.
   * @default false
   */
  isUrgent?: boolean
}

export interface Queryable {
  /**
   * Runs one statement with `$1…` parameters.
   *
   * Both drivers return the same rows: bytea is a `Buffer`, int8 a `number` (a `bigint` beyond
   * 2^53), timestamptz a `Date`, json and jsonb are parsed, and arrays of these are arrays;
   * numeric, uuid, date, time and interval stay text. As parameters, bytes are a `Uint8Array`, an
   * array is an SQL array (for a JSON array pass `JSON.stringify(…)`), and any other object is
   * JSON.
   *
   * Errors: SQL errors are the driver's own, with the SQLSTATE as `code`; others a `DatabaseError`.
   */
  query<Row = Record<string, unknown>>(
    text: string,
    values?: readonly unknown[],
    options?: QueryOptions,
  ): Promise<Result<Row>>
}

export interface SqlExecutor {
  /** For pg-boss. Without values the text may hold several statements. */
  executeSql(text: string, values?: readonly unknown[]): Promise<{ rows: unknown[] }>
}

/** One open transaction. Pass `{ db: tx }` to a pg-boss call to include it in the transaction. */
export interface Tx extends Queryable, SqlExecutor {
  /** Whether a statement has run in it, so that it holds a connection. */
  readonly isBegun: boolean
  /**
   * Calls back after the transaction is committed, before `tx()` resolves; never after a rollback
   * or a COMMIT with an unknown outcome. Callbacks run in order, outside the transaction. An error
   * in a callback is an uncaught exception, because the transaction can no longer be rolled back.
   */
  afterCommit(callBack: () => void): void
}

/** A handle for a part of a transaction. `isBegun` says whether one of its own statements has run. */
export interface TxPart extends Tx {
  /**
   * Adds a statement that runs after the function of the transaction has returned, right before the
   * commit. On a pool of the database's own, all of them and the commit are one write. If one fails,
   * the transaction is rolled back, and `tx()` rejects with its error.
   */
  endWith(statement: LastStatement): void
}

/** A transaction, as the function that `tx()` runs gets it. */
export interface OpenTx extends TxPart {
  /**
   * Runs a function with a handle of its own, which is closed when the function ends, so that
   * several can share the transaction one after the other. An error of the function rolls nothing
   * back by itself.
   */
  part<T>(run: (tx: TxPart) => Promise<T>): Promise<T>
}

/** A statement at the end of a transaction. */
export interface LastStatement extends Pick<QueryOptions, 'isRepeated'> {
  text: string
  values: readonly unknown[]
}

export interface TxOptions {
  /**
   * Keeps trying to get a connection until this aborts, instead of for `connectionTimeoutMs`. A
   * statement then waits while the pool is exhausted or the database is down.
   */
  waitUntil?: AbortSignal | undefined
  /**
   * Time limit for one statement, in milliseconds, if it is to be less than `queryTimeoutMs`.
   * PostgreSQL then cancels the statement, with the SQLSTATE 57014. The embedded database has none.
   */
  statementTimeoutMs?: number | undefined
}

/** Marks a transaction: PostgreSQL resets the setting when it ends, also if the caller ends it. */
export const markTxSql = `set local feed_receiver.tx = 'open'`
/** SQL that is true only inside a marked transaction. Transactions of a database are marked. */
export const isInTxSql = `(current_setting('feed_receiver.tx', true) = 'open')`

/** The part of pg-boss's `IDatabase` that an inbox needs. */
export interface BossDb {
  /** Without values the text may hold several statements. */
  executeSql(
    text: string,
    values?: readonly unknown[],
    options?: Pick<QueryOptions, 'isRepeated'>,
  ): Promise<{ rows: unknown[] }>
  listen(
    channel: string,
    onNotification: (payload: string) => void,
    onReconnect: () => void,
  ): Promise<Subscription>
  /** Closes its own connections; closing the database closes them, too. */
  close(): Promise<void>
}

/** A subscription to notifications, which subscribes again if its connection fails. */
export interface Subscription {
  /** Whether it hears notifications: its connection is open, and leads to no pooler. */
  isListening(): boolean
  close(): Promise<void>
}

/** The options with which pg-boss uses the same database. */
export interface BossOptions {
  backend?: 'pglite'
  db: BossDb
}

/** Every call through the database passes this gate, also those of pg-boss on an embedded one. */
export interface Gate {
  /** Runs one call and counts it; rejects it after close and inside an open transaction. */
  enter<T>(run: () => Promise<T>): Promise<T>
  /** The open transaction in which the current code runs. */
  currentTx(): Tx | undefined
}

/** Time limits for each statement of a transaction, in milliseconds. */
export interface StatementLimits {
  /** Without an answer for so long, the connection is given up. */
  queryTimeoutMs?: number | undefined
  /** The server cancels the statement. @default a little less than `queryTimeoutMs` */
  statementTimeoutMs?: number | undefined
}

export interface OpenOptions {
  /**
   * Creates the contents of a new embedded database, at its first opening. Other new databases with
   * the same SQL begin as copies of it. If the SQL fails, `open` rejects with its error, and no
   * database is created. Has no effect on PostgreSQL, or if the database exists.
   * @default an empty database
   */
  initialSql?: InitialSql
}

/** Resolves to the SQL with which a new embedded database begins: any number of statements. */
export type InitialSql = () => Promise<string>

/** The interface between `Database` and the two kinds of database. */
export interface Driver {
  readonly kind: 'postgres' | 'pglite'
  readonly maxConnections: number
  open(options?: OpenOptions): Promise<void>
  reserve(): void
  query<Row>(text: string, values: readonly unknown[], options?: QueryOptions): Promise<Result<Row>>
  /**
   * Begins a transaction, and calls `first`, which sends its first statement: if it can, in one
   * write with the begin. Resolves once it has begun.
   */
  begin(first: (tx: DriverTx) => void, limits?: StatementLimits): Promise<DriverTx>
  bossOptions(gate: Gate): BossOptions
  close(): Promise<void>
}

/** A driver's transaction, without a guard against use after its end. It is ended once. */
export interface DriverTx extends SqlExecutor {
  query<Row>(text: string, values: readonly unknown[]): Promise<Result<Row>>
  /**
   * Runs the last statements, if there are any, and commits. Errors: that of the first one that
   * fails, and `tx_aborted` if the server rolls back instead; the transaction has then ended, too.
   */
  commit(last?: readonly LastStatement[]): Promise<void>
  /** Never rejects. */
  rollBack(): Promise<void>
}

/** Rows, and how many rows the statement returned or changed. */
export interface Result<Row> {
  rows: Row[]
  rowCount: number
}

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
  /**
   * Where to listen for notifications: a URL that leads to PostgreSQL directly, for a target behind
   * PgBouncer in transaction mode, which loses them. The embedded database needs none.
   * @default the target itself
   */
  listenUrl?: string | undefined
  /** What PostgreSQL shows in `pg_stat_activity`. @default 'feed-receiver' */
  applicationName?: string
  /** How long to wait for another process to leave the embedded folder, in milliseconds. @default 5000 */
  lockWaitMs?: number
  /**
   * Whether other processes of the same user may use an embedded folder through the process that has it
   * open. False keeps the folder for this process alone, which then uses it through no other.
   * @default true
   */
  isShared?: boolean
  /**
   * Leaves an embedded folder to a process that is no guest, and works through that one from then on.
   * For a tool beside an app.
   * @default false
   */
  isGuest?: boolean
}

export interface QueryOptions {
  /**
   * Says that this statement is run often, so that PostgreSQL keeps its plan with each connection.
   * Where a pooler in between loses plans, it is run like any other; so it is inside a transaction.
   * @default false
   */
  isRepeated?: boolean
  /**
   * Says that somebody waits for the answer, as a sender does for that of its delivery: the embedded
   * database, which runs one statement at a time, runs it before others that came earlier.
   * @default false
   */
  isUrgent?: boolean
}

export interface Queryable {
  /**
   * Runs one statement with `$1…` parameters.
   *
   * Rows are alike on both drivers: bytea is a `Buffer`, int8 a `number` (a `bigint` beyond 2^53),
   * timestamptz a `Date`, json and jsonb are parsed, and arrays of these are arrays; numeric, uuid,
   * date, time and interval stay text. As parameters, bytes are a `Uint8Array`, an array is an SQL
   * array (for a JSON array pass `JSON.stringify(…)`), and any other object is JSON.
   *
   * Errors: the driver's own for SQL, with the SQLSTATE as `code`; else a `DatabaseError`.
   */
  query<Row = Record<string, unknown>>(
    text: string,
    values?: readonly unknown[],
    options?: QueryOptions,
  ): Promise<Result<Row>>
}

export interface SqlExecutor {
  /** The driver's own values both ways. Without values the text may hold several statements. */
  executeSql(text: string, values?: readonly unknown[]): Promise<{ rows: unknown[] }>
}

/** One open transaction. `{ db: tx }` is also what a pg-boss call takes to take part in it. */
export interface Tx extends Queryable, SqlExecutor {
  /** Whether a statement has been run through it, so that it holds a connection. */
  readonly isBegun: boolean
  /**
   * Calls back once the transaction is committed, before `tx()` resolves; never after a rollback or a
   * COMMIT whose outcome is unknown. Callbacks run in order, outside the transaction. An error that
   * one throws is an uncaught exception, because the transaction can no longer be rolled back.
   */
  afterCommit(callBack: () => void): void
}

/** What pg-boss calls `IDatabase`, as far as an inbox needs it. */
export interface BossDb extends SqlExecutor {
  listen(
    channel: string,
    onNotification: (payload: string) => void,
    onReconnect: () => void,
  ): Promise<{ close(): Promise<void> }>
  /** Closes the connections that are its own; closing the database does, too. */
  close(): Promise<void>
}

/** How pg-boss reaches the same database. */
export interface BossOptions {
  backend?: 'pglite'
  db: BossDb
}

/** What every call through the database passes, and so those of pg-boss on an embedded one. */
export interface Gate {
  /** Admits one call: refuses it after close and inside an open transaction, and counts it. */
  enter<T>(run: () => Promise<T>): Promise<T>
  /** The open transaction that the code now running is inside of. */
  currentTx(): Tx | undefined
}

/** The seam between `Database` and the two kinds of database it runs on. */
export interface Driver {
  readonly kind: 'postgres' | 'pglite'
  open(): Promise<void>
  query<Row>(text: string, values: readonly unknown[], options?: QueryOptions): Promise<Result<Row>>
  /** Begins a transaction. The limit is per statement. */
  begin(queryTimeoutMs?: number): Promise<DriverTx>
  bossOptions(gate: Gate): BossOptions
  close(): Promise<void>
}

/** A driver's transaction, before it is guarded against use after its end. It is ended once. */
export interface DriverTx extends SqlExecutor {
  query<Row>(text: string, values: readonly unknown[]): Promise<Result<Row>>
  /** Errors: `tx_aborted` where the server rolls back instead; it has ended then as well. */
  commit(): Promise<void>
  /** Never rejects. */
  rollBack(): Promise<void>
}

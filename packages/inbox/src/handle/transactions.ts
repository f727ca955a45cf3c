import type { Database, Tx, TxPart } from '@feed-receiver/database'
import type { Tables } from '../entry/tables.ts'
import { codeOf, hasTimedOut, InboxError } from '../errors.ts'
import type { InboxContext } from '../context.ts'
import type { SqlExecutor } from '../queue/queue.ts'

/**
 * Runs a function inside one transaction and commits when it resolves. `tx` is the handlers'
 * transaction. Through `sql` the inbox marks the entry as done in the same transaction. `signal`
 * aborts when the attempt should end.
 */
export type RunInTransaction<AppTx> = (
  run: (tx: AppTx, sql: SqlExecutor) => Promise<void>,
  signal?: AbortSignal,
) => Promise<void>

/** The transactions in which handlers run. */
export interface Transactions<AppTx> {
  /** Runs a handler in a transaction of its own. */
  run: RunInTransaction<AppTx>
  /**
   * Whether a transaction may end while its handler still runs. Not one of the app's own, because
   * later writes of the handler could run on its released connection, outside of any transaction.
   */
  canBeTakenBack: boolean
  /**
   * Opens a transaction that handlers join one after the other, and commits when the function
   * resolves. Joining rejects with `needs_own_transaction` after a statement that could change what
   * the next handler sees. Undefined if handlers cannot share one.
   */
  share?: (
    run: (join: RunInTransaction<AppTx>) => Promise<void>,
    options: SharedTransactionOptions,
  ) => Promise<void>
}

export interface SharedTransactionOptions {
  /** For each statement, such as one that waits for a lock. */
  limitMs: number
  /** Ends the wait for a connection. */
  signal: AbortSignal
}

/**
 * Runs handlers in transactions of the inbox, which reject statements that would end them. A
 * handler waits for its connection, because what it has done so far cannot be taken back.
 */
export function ownTransactions(database: Database): Transactions<Tx> {
  return {
    canBeTakenBack: true,
    run: (run, signal) =>
      database.tx((tx) => run(around(tx, withoutControl), tx), { waitUntil: signal }),
    // All others would wait for the only connection of an embedded database.
    ...(database.kind === 'postgres' && { share }),
  }

  async function share(
    run: (join: RunInTransaction<Tx>) => Promise<void>,
    { limitMs, signal }: SharedTransactionOptions,
  ): Promise<void> {
    await database.tx((tx) => run((handle) => tx.part((part) => runInPart(part, handle))), {
      statementTimeoutMs: limitMs,
      waitUntil: signal,
    })
  }
}

/**
 * Runs a handler in its part of a shared transaction. Rejects if a statement could change what the
 * others see, or has timed out, because alone it would have longer. A handler may have caught either.
 */
async function runInPart(
  part: TxPart,
  run: (tx: Tx, sql: SqlExecutor) => Promise<void>,
): Promise<void> {
  let rejected: InboxError | undefined
  const reject = (options?: ErrorOptions) => (rejected = needsOwnTransaction(options))
  const watched = around(part, (text, statement) => {
    rejectControl(text)
    if (!mayShare(text)) throw reject()
    return statement().catch((cause: unknown) => {
      if (hasTimedOut(cause)) reject({ cause })
      throw cause
    })
  })
  await run(watched, part)
  if (rejected) throw rejected
}

export function needsOwnTransaction(options?: ErrorOptions): InboxError {
  const message =
    'This handler shares its transaction with others, and does something that could change theirs. It runs again, in a transaction of its own.'
  return new InboxError('needs_own_transaction', message, options)
}

/**
 * Runs handlers in the app's transactions, marked so that the inbox notices when one has ended. The
 * first of them checks its `executeSql`, before the handler. Errors: `bad_execute_sql`.
 */
export function appTransactions<AppTx>(transaction: RunInTransaction<AppTx>) {
  return async (_: Database, { entry }: Tables): Promise<Transactions<AppTx>> => {
    const { markTxSql } = await import('@feed-receiver/database/internal')
    let isChecked = false
    return {
      canBeTakenBack: false,
      run: (run, signal) =>
        transaction(async (tx, sql) => {
          await sql.executeSql(markTxSql, [])
          if (!isChecked) await checkExecuteSql(sql, entry)
          isChecked = true
          await run(tx, sql)
        }, signal),
    }
  }
}

/**
 * Checks what an `executeSql` of the app returns, because an ORM may return something else for an
 * UPDATE than for a SELECT, or nothing. Each attempt would then end as `claim_lost`. Changes nothing,
 * so it cannot notice an `executeSql` that leaves out only the rows of an UPDATE.
 * Errors: `bad_execute_sql`.
 */
async function checkExecuteSql(sql: SqlExecutor, table: string): Promise<void> {
  const update = `update ${table} set state = state where false returning id`
  await check(update, 'an update of no row', ({ length }) => length === 0)
  const select = 'select 1 as id'
  await check(select, select, ([row, ...others]) => others.length === 0 && hasId(row))

  async function check(text: string, name: string, isRight: (rows: unknown[]) => boolean) {
    // Callers without TypeScript return anything.
    const result: unknown = await sql.executeSql(text, [])
    const rows = typeof result === 'object' && result !== null && 'rows' in result && result.rows
    if (Array.isArray(rows) && isRight(rows)) return
    throw new InboxError(
      'bad_execute_sql',
      `The option transaction passes an executeSql that resolved to ${describe(result)} for ${name}. Let it resolve to { rows } with one object for each returned row, also for an UPDATE with RETURNING. TypeORM's manager.query resolves to [rows, count] for an UPDATE: use { rows: (await manager.queryRunner.query(text, values, true)).records }.`,
    )
  }
}

function hasId(row: unknown): boolean {
  return typeof row === 'object' && row !== null && 'id' in row
}

/** Only the shape, because a driver may return anything. */
function describe(result: unknown): string {
  if (typeof result !== 'object' || result === null) return String(result)
  if (Array.isArray(result)) return shapeOf(result)
  return 'rows' in result ? `{ rows: ${shapeOf(result.rows)} }` : 'an object without rows'
}

function shapeOf(value: unknown): string {
  if (Array.isArray(value)) return value.length > 5 ? '[…]' : `[${value.map(shapeOf).join(', ')}]`
  return typeof value === 'object' && value !== null ? '{…}' : typeof value
}

/** What is wrong if a handler calls a method of the inbox too late. */
export const insideTx =
  'A handler called the inbox after its first statement through tx, which would wait for that transaction on an embedded database. Call the inbox before that statement, or after the handler, for example in onFailed.'

/** Runs a method of the inbox, also when a handler calls it. Errors: `inside_tx`. */
export function outsideHandler<P extends Pick<InboxContext, 'database'>, T>(
  context: P,
  run: (context: P) => Promise<T>,
): Promise<T> {
  return context.database
    .outside(() => run(context))
    .catch((cause: unknown) => {
      throw codeOf(cause) === 'outside_tx'
        ? new InboxError('inside_tx', insideTx, { cause })
        : cause
    })
}

function withoutControl<Result>(text: string, statement: () => Promise<Result>): Promise<Result> {
  rejectControl(text)
  return statement()
}

/** Rejects a statement that would end the transaction. Errors: `transaction_control`. */
export function rejectControl(text: string): void {
  const [, statement] = controls.exec(afterComments(text)) ?? []
  if (statement !== undefined) {
    throw new InboxError(
      'transaction_control',
      `A handler may not run ${statement.toUpperCase()} through tx, because the inbox commits that transaction itself. Remove the statement, or use a savepoint around a part that may fail.`,
    )
  }
}

/** A handle for a handler, with something around each statement. */
export function around(
  tx: Tx,
  run: <Result>(text: string, statement: () => Promise<Result>) => Promise<Result>,
): Tx {
  return {
    get isBegun() {
      return tx.isBegun
    },
    query: async (text, values) => await run(text, () => tx.query<never>(text, values)),
    executeSql: async (text, values) => await run(text, () => tx.executeSql(text, values)),
    afterCommit: (callBack) => tx.afterCommit(callBack),
  }
}

/**
 * Whether a statement leaves nothing in its transaction but rows: no setting, no temporary table, no
 * savepoint. One of several in a text cannot be told.
 */
function mayShare(text: string): boolean {
  const isPlain = /^(?:select|insert|update|delete|merge|with|values|table)\b/i
  return isPlain.test(afterComments(text)) && !/set_config|\btemp|pg_temp|;\s*\S/i.test(text)
}

const controls =
  /^(commit|end|abort|begin|rollback(?!\s+(?:(?:work|transaction)\s+)?to\b)|start\s+transaction|prepare\s+transaction)\b/i

const ignored = /[\s;]+|--.*|\/\*[^]*?\*\//y

/** A statement from its first word on. */
function afterComments(text: string): string {
  ignored.lastIndex = 0
  let start = 0
  while (ignored.test(text)) start = ignored.lastIndex
  return text.slice(start)
}

/** The members of a drizzle-orm database that are used here. */
export interface DrizzleDatabase<AppTx> {
  transaction(run: (tx: AppTx) => Promise<void>): Promise<void>
}

export interface DrizzleTransaction {
  execute(query: unknown): Promise<{ rows: unknown[] } | unknown[]>
}

/** The `sql` of drizzle-orm. */
export interface DrizzleSql {
  (strings: TemplateStringsArray, ...values: unknown[]): unknown
  param(value: unknown): unknown
}

/** For the option `transaction`: handlers get a Drizzle transaction as their `tx`. */
export function drizzleTransaction<AppTx extends DrizzleTransaction>(
  db: DrizzleDatabase<AppTx>,
  sql: DrizzleSql,
): RunInTransaction<AppTx> {
  return async (run) => {
    const { fromDrizzle } = await import('pg-boss')
    await db.transaction((tx) => run(tx, fromDrizzle(tx, sql)))
  }
}

/** The members of a Kysely database that are used here. */
export interface KyselyDatabase<AppTx> {
  transaction(): { execute(run: (tx: AppTx) => Promise<void>): Promise<void> }
}

export interface KyselyTransaction {
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- as Kysely has it
  executeQuery<Row>(query: {
    readonly sql: string
    readonly parameters: readonly unknown[]
    readonly query: never
    readonly queryId: { readonly queryId: string }
  }): Promise<{ readonly rows: Row[] }>
}

/** For the option `transaction`: handlers get a Kysely transaction as their `tx`. */
export function kyselyTransaction<AppTx extends KyselyTransaction>(
  db: KyselyDatabase<AppTx>,
): RunInTransaction<AppTx> {
  return async (run) => {
    const { fromKysely } = await import('pg-boss')
    await db.transaction().execute((tx) => run(tx, fromKysely(tx)))
  }
}

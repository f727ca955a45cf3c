import type { Database, Tx } from '@feed-receiver/database'
import type { RunInTransaction } from '@feed-receiver/inbox'
import { rejectControl } from '@feed-receiver/inbox/internal'
import { OperateError } from '../errors.ts'
import { oneByOne, openGuard, type Guard } from './guard.ts'
import type { Network } from './network.ts'

/** The transaction in which the handler of one event runs. */
export interface Opened<AppTx> {
  tx: AppTx
  /** The guard of the transaction; undefined before it begins. */
  guard(): Promise<Guard> | undefined
  /** Whether a statement has run, if that can be told. */
  isBegun(): boolean
}

/** Opens transactions for a rehearsal. */
export interface Transactions<AppTx> {
  /** Runs a function in a transaction that is rolled back when the function rejects. */
  run(work: (opened: Opened<AppTx>) => Promise<void>): Promise<void>
  /**
   * Whether a transaction may be closed while its handler still runs. Not one of the app's own,
   * because later writes of the handler would then be committed.
   */
  canBeTakenBack: boolean
}

/** Transactions of the inbox itself, which begin with the first statement. */
export function inboxTransactions(database: Database, { outside }: Network): Transactions<Tx> {
  return {
    canBeTakenBack: true,
    run: (work) =>
      database.tx(async (tx) => {
        let guard: Promise<Guard> | undefined
        const run = (statements: readonly string[]) =>
          outside(() => tx.executeSql(statements.join(';'))).then(({ rows }) => rows)
        // Statements run in turn, so that none runs before the guard is set up.
        const begin = () => {
          guard ??= openGuard(run)
          // The caller that asks for the guard, or runs the next statement, gets the error.
          guard.catch(() => undefined)
        }
        const guarded: Tx = {
          get isBegun() {
            return tx.isBegun
          },
          async query(text, values) {
            rejectControl(text)
            begin()
            return await outside(() => tx.query(text, values))
          },
          async executeSql(text, values) {
            rejectControl(text)
            begin()
            return await outside(() => tx.executeSql(text, values))
          },
          // Nothing is ever committed.
          afterCommit: () => undefined,
        }
        await work({ tx: guarded, guard: () => guard, isBegun: () => tx.isBegun })
      }),
  }
}

/** Transactions of the app, from its option `transaction`. */
export function appTransactions<AppTx>(transaction: RunInTransaction<AppTx>): Transactions<AppTx> {
  return {
    canBeTakenBack: false,
    run: (work) =>
      transaction(async (tx, sql) => {
        const guard = openGuard(oneByOne(sql))
        await guard
        await work({ tx, guard: () => guard, isBegun: () => sql.isBegun === true })
      }),
  }
}

const identitySql = `select current_database() || ', started ' ||
  extract(epoch from pg_postmaster_start_time())::bigint as name`

/**
 * Checks that the app's transactions are on the database of the inbox, because a rehearsal must not
 * run on an unnamed one. Errors: `other_database`.
 */
export async function assertSameDatabase<AppTx>(
  database: Database,
  transaction: RunInTransaction<AppTx>,
): Promise<void> {
  const ours = nameIn((await database.query(identitySql)).rows)
  let theirs = ''
  await transaction(async (_, sql) => {
    theirs = nameIn((await sql.executeSql(identitySql, [])).rows)
  })
  if (theirs === ours) return
  const message = `The option transaction uses another database than the option database: ${theirs} and ${ours}. Use the same one for both.`
  throw new OperateError('other_database', message)
}

function nameIn([row]: readonly unknown[]): string {
  return typeof row === 'object' && row !== null && 'name' in row ? String(row.name) : 'unknown'
}

/**
 * Runs some work in a transaction, and always rolls it back. Returns the result of the work, or the
 * error with which the transaction did not begin. Errors: those of the work, and `rehearsal_kept`
 * if the transaction may have been committed.
 */
export async function rolledBack<AppTx, Result>(
  transactions: Transactions<AppTx>,
  id: string,
  work: (opened: Opened<AppTx>) => Promise<Result>,
): Promise<Result | { error: unknown }> {
  const begun: { working?: Promise<Result> } = {}
  try {
    await transactions.run(async (opened) => {
      begun.working = work(opened)
      await begun.working.catch(() => undefined)
      throw new Error('This transaction is a rehearsal and is rolled back.')
    })
  } catch (error) {
    return begun.working ? await begun.working : { error }
  }
  const message = `The option transaction resolved although its callback threw, so the rehearsal of event ${id} may be committed, and the rehearsal stopped. Make the function roll back and reject when its callback rejects.`
  throw new OperateError('rehearsal_kept', message)
}

import type { Database, Tx } from '@feed-receiver/database'
import type { Tables } from '../entry/tables.ts'
import { codeOf, problem } from '../errors.ts'
import type { InboxContext } from '../context.ts'
import type { RunInTransaction } from '../queue/queue.ts'
import { checkExecuteSql } from './check-execute-sql.ts'

/**
 * Runs handlers in transactions of the inbox, which reject statements that would end them. A
 * handler waits for its connection, because what it has done so far cannot be taken back.
 */
export function ownTransaction(database: Database): RunInTransaction<Tx> {
  return (run, signal) => database.tx((tx) => run(withoutControl(tx), tx), { waitUntil: signal })
}

/**
 * Runs handlers in the app's transactions, marked so that the inbox notices when one has ended. The
 * first of them checks its `executeSql`, before the handler. Errors: `bad_execute_sql`.
 */
export function appTransaction<AppTx>(transaction: RunInTransaction<AppTx>) {
  return async (_: Database, { entry }: Tables): Promise<RunInTransaction<AppTx>> => {
    const { markTxSql } = await import('@feed-receiver/database')
    let isChecked = false
    return (run, signal) =>
      transaction(async (tx, sql) => {
        await sql.executeSql(markTxSql, [])
        if (!isChecked) await checkExecuteSql(sql, entry)
        isChecked = true
        await run(tx, sql)
      }, signal)
  }
}

/** Runs a method of the inbox, also when a handler calls it. Errors: `inside_tx`. */
export function outsideHandler<P extends Pick<InboxContext, 'database'>, T>(
  context: P,
  run: (context: P) => Promise<T>,
): Promise<T> {
  return context.database
    .outside(() => run(context))
    .catch((cause: unknown) => {
      throw codeOf(cause) === 'outside_tx' ? problem('inside_tx', {}, { cause }) : cause
    })
}

/** Rejects a statement that would end the transaction. Errors: `transaction_control`. */
export function refuseControl(text: string): void {
  const [, statement] = controls.exec(afterComments(text)) ?? []
  if (statement !== undefined) {
    throw problem('transaction_control', { statement: statement.toUpperCase() })
  }
}

function withoutControl(tx: Tx): Tx {
  return {
    get isBegun() {
      return tx.isBegun
    },
    async query(text, values) {
      refuseControl(text)
      return await tx.query(text, values)
    },
    async executeSql(text, values) {
      refuseControl(text)
      return await tx.executeSql(text, values)
    },
    afterCommit: (callBack) => tx.afterCommit(callBack),
  }
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

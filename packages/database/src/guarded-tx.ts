import type { DriverTx, Tx } from './driver.ts'
import { DatabaseError } from './errors.ts'

/** The handle a transaction's callback gets, and how its owner ends it. */
export interface GuardedTx {
  tx: Tx
  /** Refuses what comes later and waits for the statement that is still running. */
  settle(): Promise<void>
  /** Calls back those who wait for the commit. */
  committed(): void
}

/** One statement at a time, and none after the end, when its connection belongs to somebody else. */
export function guardTx(driverTx: DriverTx): GuardedTx {
  let begun = false
  let settled = false
  let last: Promise<unknown> = Promise.resolve()
  const callBacks: (() => void)[] = []

  return {
    tx: {
      get isBegun() {
        return begun
      },
      query: (text, values = []) => inTurn(() => driverTx.query(text, values)),
      executeSql: (text, values) => inTurn(() => driverTx.executeSql(text, values)),
      afterCommit(callBack) {
        if (settled) throw afterTheEnd()
        callBacks.push(callBack)
      },
    },
    async settle() {
      settled = true
      await last
    },
    committed: () => callBacks.forEach((callBack) => queueMicrotask(callBack)),
  }

  // Queued here, since node-postgres is about to drop the queue that Promise.all relies on.
  async function inTurn<T>(run: () => Promise<T>): Promise<T> {
    if (settled) throw afterTheEnd()
    begun = true
    const turn = last.then(run)
    last = turn.catch(() => undefined)
    return await turn
  }
}

function afterTheEnd(): DatabaseError {
  return new DatabaseError(
    'tx_settled',
    'This transaction has ended, and its handle was used after that. Await every statement inside ' +
      'the function given to tx(), or use the database itself for what comes later.',
  )
}

/** COMMIT answered ROLLBACK, which neither server calls an error. */
export function rolledBackInstead(cause?: unknown): DatabaseError {
  return new DatabaseError(
    'tx_aborted',
    'The transaction was rolled back instead of committed, because one of its statements had failed ' +
      'and that error was caught. Let such an error leave the function given to tx(), or put the ' +
      'statement behind a savepoint.',
    { cause },
  )
}

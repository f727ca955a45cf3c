import type { DriverTx, Tx } from './driver.ts'
import { DatabaseError } from './errors.ts'

/** A transaction that begins with its first statement, and how its owner ends it. */
export interface LazyTx {
  tx: Tx
  /** Waits for the statement that still runs, commits, and calls back. */
  commit(): Promise<void>
  /** Waits for the statement that still runs and rolls back. Never rejects. */
  rollBack(error: unknown): Promise<void>
}

type RunTransaction = (run: (tx: DriverTx) => Promise<void>) => Promise<void>

/**
 * Begins a transaction with its first statement: a function that is slow before it, or needs none,
 * holds no connection meanwhile, and on an embedded database holds up nobody. Statements run one at a
 * time, and none after the end, when the connection belongs to somebody else.
 */
export function lazyTx(runTransaction: RunTransaction): LazyTx {
  let begun: Begun | undefined
  let isEnded = false
  let last: Promise<unknown> = Promise.resolve()
  const callBacks: (() => void)[] = []

  return {
    tx: {
      get isBegun() {
        return begun !== undefined
      },
      query: (text, values = []) => inTurn((tx) => tx.query(text, values)),
      executeSql: (text, values) => inTurn((tx) => tx.executeSql(text, values)),
      afterCommit(callBack) {
        assertOpen()
        callBacks.push(callBack)
      },
    },
    async commit() {
      await end()
      begun?.succeed()
      await begun?.ended
      for (const callBack of callBacks) queueMicrotask(callBack)
    },
    async rollBack(error) {
      await end()
      begun?.fail(error)
      await begun?.ended.catch(() => undefined)
    },
  }

  // Queued here, since node-postgres is about to drop the queue that Promise.all relies on.
  async function inTurn<T>(use: (tx: DriverTx) => Promise<T>): Promise<T> {
    assertOpen()
    begun ??= begin(runTransaction)
    const { tx } = begun
    const turn = last.then(async () => use(await tx))
    last = turn.catch(() => undefined)
    return await turn
  }

  async function end(): Promise<void> {
    isEnded = true
    await last
  }

  function assertOpen(): void {
    if (!isEnded) return
    throw new DatabaseError(
      'tx_settled',
      'This transaction has ended, and its handle was used after that. Await every statement inside ' +
        'the function given to tx(), or use the database itself for what comes later.',
    )
  }
}

interface Begun {
  tx: Promise<DriverTx>
  /** Settles with the COMMIT or ROLLBACK. */
  ended: Promise<void>
  succeed(): void
  fail(error: unknown): void
}

function begin(runTransaction: RunTransaction): Begun {
  let succeed = () => {}
  let fail: (error: unknown) => void = () => {}
  const work = new Promise<void>((resolve, reject) => {
    succeed = resolve
    fail = reject
  })
  // A transaction that could not begin never waits for its work.
  work.catch(() => undefined)
  let ended = work
  const tx = new Promise<DriverTx>((resolve, reject) => {
    ended = runTransaction((driverTx) => {
      resolve(driverTx)
      return work
    })
    ended.catch(reject)
  })
  return { tx, ended, succeed, fail }
}

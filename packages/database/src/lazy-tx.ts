import type { Driver, DriverTx, LastStatement, TxPart } from './driver.ts'
import { DatabaseError } from './errors.ts'
import { isError } from '@feed-receiver/core/internal'

/**
 * Begins a transaction with its first statement. Slow code before it holds no connection, and does
 * not block others on an embedded database. Statements run one at a time. None runs after the end,
 * because the connection then belongs to another caller.
 */
export function lazyTx(begin: Driver['begin']) {
  let begun: Promise<DriverTx> | undefined
  let last: Promise<unknown> = Promise.resolve()
  const lastStatements: LastStatement[] = []
  const callBacks: (() => void)[] = []
  let isEnded = false
  const whole = openPart()

  return {
    tx: {
      ...whole.tx,
      get isBegun() {
        return begun !== undefined
      },
    },
    openPart,
    /** Waits for the running statement, commits, and calls back. */
    async commit(): Promise<void> {
      const driverTx =
        (await end()) ?? (lastStatements.length > 0 ? await begin(() => {}) : undefined)
      await driverTx?.commit(lastStatements)
      for (const callBack of callBacks) queueMicrotask(callBack)
    },
    /** Waits for the running statement, rolls back, and rejects with the error. */
    async rollBack(error: unknown): Promise<never> {
      const driverTx = await end().catch(() => undefined)
      await driverTx?.rollBack()
      throw error
    },
  }

  /** Opens a handle, which begins with its own first statement. */
  function openPart(): { tx: TxPart; close: () => void } {
    let isBegun = false
    let isOpen = true
    const run = <T>(use: (tx: DriverTx) => Promise<T>): Promise<T> => {
      assertOpen()
      isBegun = true
      return inTurn(use)
    }
    return {
      tx: {
        get isBegun() {
          return isBegun
        },
        query: async (text, values = []) => run((driverTx) => driverTx.query(text, values)),
        executeSql: async (text, values) => run((driverTx) => driverTx.executeSql(text, values)),
        afterCommit(callBack) {
          assertOpen()
          callBacks.push(callBack)
        },
        endWith(statement) {
          assertOpen()
          lastStatements.push(statement)
        },
      },
      close: () => (isOpen = false),
    }

    function assertOpen(): void {
      if (!isOpen || isEnded)
        throw new DatabaseError(
          'tx_ended',
          'A transaction handle was used after its transaction ended. Await every statement inside the function that you pass to tx(), or use the database itself for later statements.',
        )
    }
  }

  // Queued here, because node-postgres will drop the queue that Promise.all relies on.
  async function inTurn<T>(use: (tx: DriverTx) => Promise<T>): Promise<T> {
    const turn = begun ? afterLast(begun, use) : beginWith(use)
    last = turn.catch(() => undefined)
    try {
      return await turn
    } catch (error) {
      // The one of the driver does not lead to the caller, because two wait for its promise.
      if (isError(error)) Error.captureStackTrace(error)
      throw error
    }
  }

  async function afterLast<T>(
    driverTx: Promise<DriverTx>,
    use: (tx: DriverTx) => Promise<T>,
  ): Promise<T> {
    await last
    return await use(await driverTx)
  }

  async function beginWith<T>(use: (tx: DriverTx) => Promise<T>): Promise<T> {
    let first: Promise<T> | undefined
    begun = begin((driverTx) => {
      first = use(driverTx)
      // If the transaction does not begin, its error is the one to report.
      first.catch(() => undefined)
    })
    const driverTx = await begun
    return await (first ?? use(driverTx))
  }

  async function end(): Promise<DriverTx | undefined> {
    isEnded = true
    await last
    return await begun
  }
}

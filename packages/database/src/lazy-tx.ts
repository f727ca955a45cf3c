import type { DriverTx, Tx } from './driver.ts'
import { DatabaseError, say } from './errors.ts'

/**
 * Begins a transaction with its first statement. Slow code before it holds no connection, and does
 * not block others on an embedded database. Statements run one at a time. None runs after the end,
 * because the connection then belongs to another caller.
 */
export function lazyTx(begin: () => Promise<DriverTx>) {
  let begun: Promise<DriverTx> | undefined
  let isEnded = false
  let last: Promise<unknown> = Promise.resolve()
  const callBacks: (() => void)[] = []

  const tx: Tx = {
    get isBegun() {
      return begun !== undefined
    },
    query: (text, values = []) => inTurn((driverTx) => driverTx.query(text, values)),
    executeSql: (text, values) => inTurn((driverTx) => driverTx.executeSql(text, values)),
    afterCommit(callBack) {
      assertOpen()
      callBacks.push(callBack)
    },
  }

  return {
    tx,
    /** Waits for the running statement, commits, and calls back. */
    async commit(): Promise<void> {
      const driverTx = await end()
      await driverTx?.commit()
      for (const callBack of callBacks) queueMicrotask(callBack)
    },
    /** Waits for the running statement, rolls back, and rejects with the error. */
    async rollBack(error: unknown): Promise<never> {
      const driverTx = await end().catch(() => undefined)
      await driverTx?.rollBack()
      throw error
    },
  }

  // Queued here, because node-postgres will drop the queue that Promise.all relies on.
  async function inTurn<T>(use: (tx: DriverTx) => Promise<T>): Promise<T> {
    assertOpen()
    const driverTx = (begun ??= begin())
    const turn = last.then(async () => use(await driverTx))
    last = turn.catch(() => undefined)
    return await turn
  }

  async function end(): Promise<DriverTx | undefined> {
    isEnded = true
    await last
    return await begun
  }

  function assertOpen(): void {
    if (isEnded) throw new DatabaseError('tx_settled', say('tx_settled'))
  }
}

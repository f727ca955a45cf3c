import type { DriverTx } from './driver.ts'

/** A transaction that has not begun until somebody uses it. */
export interface LazyTransaction {
  tx: DriverTx
  /** Commits, where anything was begun. */
  commit(): Promise<void>
  /** Rolls back, where anything was begun. Never rejects. */
  rollBack(error: unknown): Promise<void>
}

/**
 * Begins a transaction with its first statement: who is slow before that, or needs none at all, holds
 * no connection meanwhile, and on an embedded database holds up nobody.
 */
export function lazyTransaction(
  transaction: (run: (tx: DriverTx) => Promise<void>) => Promise<void>,
): LazyTransaction {
  let begun: Begun | undefined

  function begin(): Begun {
    begun ??= beginNow(transaction)
    return begun
  }

  return {
    tx: {
      query: async (text, values) => (await begin().tx).query(text, values),
      executeSql: async (text, values) => (await begin().tx).executeSql(text, values),
    },
    async commit() {
      begun?.succeed()
      await begun?.ended
    },
    async rollBack(error) {
      begun?.fail(error)
      await begun?.ended.catch(() => undefined)
    },
  }
}

interface Begun {
  tx: Promise<DriverTx>
  /** Settles with the transaction, as its COMMIT or ROLLBACK does. */
  ended: Promise<void>
  succeed(): void
  fail(error: unknown): void
}

function beginNow(transaction: (run: (tx: DriverTx) => Promise<void>) => Promise<void>): Begun {
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
    ended = transaction((driverTx) => {
      resolve(driverTx)
      return work
    })
    ended.catch(reject)
  })
  return { tx, ended, succeed, fail }
}

import { problem } from '../errors.ts'
import type { Opened, Transactions } from './transactions.ts'

/**
 * Runs some work in a transaction, and always rolls it back. Returns the result of the work, or the
 * error with which the transaction did not begin. Errors: those of the work, and `rehearsal_kept`
 * if the transaction may have been committed.
 */
export async function rolledBack<AppTx, Result>(
  transactions: Transactions<AppTx>,
  id: string,
  work: (opened: Opened<AppTx>) => Promise<Result>,
): Promise<{ result: Result } | { error: unknown }> {
  const done: { result?: { result: Result }; failure?: { error: unknown } } = {}
  try {
    await transactions.run(async (opened) => {
      try {
        done.result = { result: await work(opened) }
      } catch (error) {
        done.failure = { error }
      }
      throw new Error('This transaction is a rehearsal and is rolled back.')
    })
  } catch (error) {
    if (done.failure) throw done.failure.error
    return done.result ?? { error }
  }
  throw problem('rehearsal_kept', { id })
}

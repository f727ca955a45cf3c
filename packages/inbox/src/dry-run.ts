import type { Database, Tx } from '@feed-receiver/database'

/** Runs statements in a transaction that is always rolled back. Rejects if one of them fails. */
export async function dryRun(database: Database, run: (tx: Tx) => Promise<unknown>): Promise<void> {
  const succeeded = new Error('The statements have succeeded.')
  try {
    await database.tx(async (tx) => {
      await run(tx)
      throw succeeded
    })
  } catch (error) {
    if (error !== succeeded) throw error
  }
}

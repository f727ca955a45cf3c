import type { Database, Tx } from '@feed-receiver/database'

/** Runs statements in a transaction that is rolled back. Rejects as they do. */
export async function rollBack(
  database: Database,
  run: (tx: Tx) => Promise<unknown>,
): Promise<void> {
  const worked = new Error('It worked.')
  try {
    await database.tx(async (tx) => {
      await run(tx)
      throw worked
    })
  } catch (error) {
    if (error !== worked) throw error
  }
}

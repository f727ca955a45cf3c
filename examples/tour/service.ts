import { openDatabase } from '@feed-receiver/database'
import { createSandbox, type Sandbox } from '@feed-receiver/sandbox'

const target = { folder: '.feed-receiver/tour-sandbox' }

/** The sending side: the whole feed service, which knows nothing of earlier runs. */
export async function startService(): Promise<Sandbox> {
  await forgetEverything()
  const sandbox = createSandbox({ database: target, port: 0, historyDays: 0 })
  await sandbox.start()
  return sandbox
}

// To make a database anew takes seconds, to empty one takes none.
async function forgetEverything(): Promise<void> {
  await using database = openDatabase(target)
  await database.query('drop schema if exists sandbox cascade')
}

import { withContext } from '@feed-receiver/inbox/extend'
import { withTimeout } from '@feed-receiver/inbox/internal'
import type { ConsoleInbox } from './views.ts'

/** The page also opens while the database is down. */
const timeoutMs = 1_000

/** Returns a function that reads the name of the database of an inbox once; null until it answers. */
export function createDatabaseName(inbox: ConsoleInbox): () => Promise<string | null> {
  let name: string | undefined
  return async () => {
    const late = () => new Error('The database did not answer in time.')
    name ??= await withTimeout(readName(inbox), timeoutMs, late).catch(() => undefined)
    return name ?? null
  }
}

async function readName(inbox: ConsoleInbox): Promise<string | undefined> {
  return await withContext(inbox, async ({ database }) => {
    if (database.kind === 'pglite') return 'embedded database'
    const text = 'select current_database()::text as name'
    const { rows } = await database.query<{ name: string }>(text)
    return rows[0]?.name
  })
}

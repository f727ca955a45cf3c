import type { InboxContext } from '../context.ts'
import { warn } from './warn-of-types.ts'

/** The listener, a claim, a delivery, and one to read and end entries. */
const besideHandlers = 4

/**
 * Warns, once per process, if more handlers may run than can have a transaction at once. The others
 * wait for a connection.
 */
export async function warnOfConnections(
  { database }: Pick<InboxContext, 'database'>,
  concurrency: number,
): Promise<void> {
  if (database.kind !== 'postgres') return
  const { maxConnections } = database
  if (concurrency >= maxConnections) {
    warn('few_connections', { concurrency, limit: `a pool of ${maxConnections}` })
  }
  const { rows } = await database.query<{ limit: number | null }>(
    `select least(nullif(rolconnlimit, -1), nullif(datconnlimit, -1)) as limit
     from pg_roles, pg_database where rolname = current_user and datname = current_database()`,
  )
  const limit = rows[0]?.limit ?? Infinity
  if (concurrency + besideHandlers > limit) {
    warn('few_connections', { concurrency, limit: `a role or database limited to ${limit}` })
  }
}

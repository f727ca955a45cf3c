import type { InboxStore } from '../context.ts'

/** An entry id, and the transactions that may still store an entry with a smaller one. */
export interface Mark {
  uptoId: number
  writers: string[]
}

/**
 * Reads the latest entry id, and then the transactions that write to the table. A transaction locks
 * the table before it gets an id, so it has ended by then or is among them.
 */
export async function markLatest(context: InboxStore): Promise<Mark> {
  const { rows } = await context.database.query<{ uptoId: number }>(
    `select coalesce(max(id), 0) as "uptoId" from ${context.tables.entry}`,
  )
  return { uptoId: rows[0]?.uptoId ?? 0, writers: await findWriters(context) }
}

/**
 * Whether every transaction that was writing at a mark has ended, so that no entry up to it can
 * still appear. It takes no lock, so nothing waits for it.
 */
export async function isSettled(context: InboxStore, { writers }: Mark): Promise<boolean> {
  if (writers.length === 0) return true
  const writing = await findWriters(context)
  return !writing.some((writer) => writers.includes(writer))
}

/** The transactions that hold the lock of an insert, an update or a delete. */
async function findWriters({ database, tables }: InboxStore): Promise<string[]> {
  // The embedded database runs one transaction at a time.
  if (database.kind === 'pglite') return []
  const { rows } = await database.query<{ writer: string }>(
    `select distinct virtualtransaction as writer from pg_locks
     where locktype = 'relation' and relation = '${tables.entry}'::regclass
       and database = (select oid from pg_database where datname = current_database())
       and mode = 'RowExclusiveLock' and granted`,
  )
  return rows.map(({ writer }) => writer)
}

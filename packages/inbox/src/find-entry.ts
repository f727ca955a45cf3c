import type { Queryable } from '@feed-receiver/database'

/** What a worker needs of an entry. */
export interface EntryToHandle {
  state: 'received' | 'done' | 'skipped' | 'dead'
  type: string
  body: Uint8Array | null
  receivedAt: Date
}

/** One entry by its key; undefined where there is none. */
export async function findEntry(
  db: Queryable,
  table: string,
  id: number,
): Promise<EntryToHandle | undefined> {
  const { rows } = await db.query<EntryToHandle>(
    `select state, type, body, received_at as "receivedAt" from ${table} where id = $1`,
    [id],
  )
  return rows[0]
}

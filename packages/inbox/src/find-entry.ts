import type { Queryable } from '@feed-receiver/database'

/** What a worker needs of an entry. */
export interface EntryToHandle {
  state: 'received' | 'done' | 'skipped' | 'dead'
  type: string
  body: Uint8Array | null
  receivedAt: Date
  /** The trace in which it was accepted. */
  traceparent: string | null
}

/** One entry by its key; undefined where there is none. */
export async function findEntry(
  db: Queryable,
  table: string,
  id: number,
): Promise<EntryToHandle | undefined> {
  const { rows } = await db.query<EntryToHandle>(
    `select state, type, body, received_at as "receivedAt", headers ->> 'traceparent' as traceparent
     from ${table} where id = $1`,
    [id],
  )
  return rows[0]
}

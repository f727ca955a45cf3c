import type { Queryable } from '@feed-receiver/database'

/** Ends an entry that is still open; false where another run has ended it before. */
export async function settleEntry(
  db: Queryable,
  table: string,
  id: number,
  state: 'done' | 'skipped' | 'dead',
): Promise<boolean> {
  const { rowCount } = await db.query(
    `update ${table} set state = $2, handled_at = now() where id = $1 and state = 'received'`,
    [id, state],
  )
  return rowCount === 1
}

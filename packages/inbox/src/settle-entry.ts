import type { SqlExecutor } from './app-transaction.ts'

/** Ends an entry that is still open; false where another run has ended it before. */
export async function settleEntry(
  sql: SqlExecutor,
  table: string,
  id: number,
  state: 'done' | 'skipped' | 'dead',
): Promise<boolean> {
  const { rows } = await sql.executeSql(
    `update ${table} set state = $2, handled_at = now()
     where id = $1 and state = 'received' returning 1`,
    [id, state],
  )
  return rows.length === 1
}

import type { SqlExecutor } from '../queue/app-transaction.ts'

/** Ends an entry that is still open, at this revision if given; false where it is not any more. */
export async function settleEntry(
  sql: SqlExecutor,
  table: string,
  id: number,
  state: 'done' | 'skipped' | 'dead',
  revision?: number,
): Promise<boolean> {
  const { rows } = await sql.executeSql(
    `update ${table} set state = $2, handled_at = now()
     where id = $1 and state = 'received' and revision = coalesce($3, revision) returning 1`,
    [id, state, revision ?? null],
  )
  return rows.length === 1
}

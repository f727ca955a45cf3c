import { problem } from '../errors.ts'
import type { SqlExecutor } from '../queue/queue.ts'

/**
 * Checks what an `executeSql` of the app returns for an UPDATE, because an ORM may return something
 * else for it than for a SELECT. Each attempt would then end as `claim_lost`. Changes nothing, so it
 * cannot notice an `executeSql` that returns no rows at all.
 * Errors: `bad_execute_sql`.
 */
export async function checkExecuteSql(sql: SqlExecutor, table: string): Promise<void> {
  const text = `update ${table} set state = state where false returning id`
  // Callers without TypeScript return anything.
  const result: unknown = await sql.executeSql(text, [])
  const rows = typeof result === 'object' && result !== null && 'rows' in result && result.rows
  if (Array.isArray(rows) && rows.length === 0) return
  throw problem('bad_execute_sql', { given: describe(result) })
}

/** Only the shape, because a driver may return anything. */
function describe(result: unknown): string {
  if (typeof result !== 'object' || result === null) return String(result)
  if (Array.isArray(result)) return shapeOf(result)
  return 'rows' in result ? `{ rows: ${shapeOf(result.rows)} }` : 'an object without rows'
}

function shapeOf(value: unknown): string {
  if (Array.isArray(value)) return value.length > 5 ? '[…]' : `[${value.map(shapeOf).join(', ')}]`
  return typeof value === 'object' && value !== null ? '{…}' : typeof value
}

import type { World } from './world.ts'

/** The number of rows that a query finds. */
export async function countRows(
  { sql }: World,
  query: string,
  values: unknown[] = [],
): Promise<number> {
  const rows = await sql<{ count: number }>(
    `select count(*)::int as count from (${query}) found`,
    values,
  )
  return rows[0]?.count ?? 0
}

import type { Queryable } from '@feed-receiver/database'

export interface PruneOptions {
  /**
   * For how many days after its end an entry keeps its bytes.
   * @default 90
   */
  bytesAfterDays?: number
}

/** How many entries share one statement. */
const batchSize = 1_000

/**
 * Empties the bytes and headers of entries that ended longer ago, and gives their number. The id and
 * the hash stay, so that a repeat is still a duplicate, and other bytes are still told apart.
 */
export async function pruneBytes(
  db: Queryable,
  table: string,
  source: string,
  bytesAfterDays: number,
): Promise<number> {
  for (let pruned = 0; ;) {
    const batch = await pruneBatch(db, table, source, bytesAfterDays)
    pruned += batch
    if (batch < batchSize) return pruned
  }
}

async function pruneBatch(
  db: Queryable,
  table: string,
  source: string,
  bytesAfterDays: number,
): Promise<number> {
  const { rowCount } = await db.query(
    `update ${table} entry set body = null, headers = '{}'
     from (
       select id from ${table}
       where source = $1 and state in ('done', 'skipped') and body is not null
         and handled_at < now() - $2::float8 * interval '1 day'
       order by handled_at
       limit ${batchSize}
       for update skip locked
     ) old
     where entry.id = old.id`,
    [source, bytesAfterDays],
  )
  return rowCount
}

import type { Tables } from '../entry/tables.ts'
import { checkDays } from '../errors.ts'
import type { Place } from '../queue/queue.ts'

export interface PruneOptions {
  /**
   * For how many days after its end an entry keeps its bytes.
   * @default 90
   */
  bytesAfterDays?: number
  /**
   * For how many days rejected deliveries stay counted.
   * @default 90
   */
  refusalsAfterDays?: number
  /** Stops between two transactions, once aborted; what is done stays done. */
  signal?: AbortSignal | undefined
}

/** How many entries share one statement. */
const batchSize = 1_000

/**
 * Deletes old counts of rejections, and empties the bytes and headers of entries that ended longer ago, with what they said before and the
 * notes of their effects, and gives their number. The id and the hash stay, so that a repeat is still a
 * duplicate, and other bytes are still told apart.
 */
export async function pruneBytes(place: Place, options: PruneOptions = {}): Promise<number> {
  const { bytesAfterDays = 90, refusalsAfterDays = 90, signal } = options
  checkDays('bytesAfterDays', bytesAfterDays)
  checkDays('refusalsAfterDays', refusalsAfterDays)
  await deleteRefusals(place, refusalsAfterDays)
  const text = pruneSql(place.tables)
  const values = [place.source, bytesAfterDays]
  for (let pruned = 0; ;) {
    if (signal?.aborted) return pruned
    const { rows } = await place.database.tx((tx) => tx.query<{ count: number }>(text, values))
    const { count } = rows[0] ?? { count: 0 }
    pruned += count
    if (count < batchSize) return pruned
  }
}

async function deleteRefusals({ database, tables, source }: Place, days: number): Promise<void> {
  await database.query(
    `delete from ${tables.refusal}
     where source = $1 and last_at < now() - $2::float8 * interval '1 day'`,
    [source, days],
  )
}

function pruneSql({ entry, entryRevision, effect }: Tables): string {
  return `with old as (
      select id from ${entry}
      where source = $1 and state in ('done', 'skipped') and (body is not null or pull is not null)
        and handled_at < now() - $2::float8 * interval '1 day'
      order by handled_at
      limit ${batchSize}
      for update skip locked
    ),
    emptied as (
      update ${entry} entry set body = null, pull = null, headers = '{}'
      from old where entry.id = old.id
    ),
    revisions as (update ${entryRevision} set pull = null from old where entry_id = old.id),
    effects as (delete from ${effect} using old where entry_id = old.id)
    select count(*) as count from old`
}

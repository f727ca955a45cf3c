import type { Tx } from '@feed-receiver/database'
import { checkDays } from '../errors.ts'
import type { Place } from '../queue/queue.ts'

export interface PruneOptions {
  /**
   * For how many days after its end an entry keeps its bytes.
   * @default 90
   */
  bytesAfterDays?: number
  /** Stops between two transactions, once aborted; what is done stays done. */
  signal?: AbortSignal | undefined
}

/** How many entries share one statement. */
const batchSize = 1_000

/**
 * Empties the bytes and headers of entries that ended longer ago, with what they said before and the
 * notes of their effects, and gives their number. The id and the hash stay, so that a repeat is still a
 * duplicate, and other bytes are still told apart.
 */
export async function pruneBytes(
  place: Place,
  { bytesAfterDays = 90, signal }: PruneOptions = {},
): Promise<number> {
  checkDays('bytesAfterDays', bytesAfterDays)
  for (let pruned = 0; ;) {
    if (signal?.aborted) return pruned
    const batch = await place.database.tx((tx) => pruneBatch(tx, place, bytesAfterDays))
    pruned += batch
    if (batch < batchSize) return pruned
  }
}

async function pruneBatch(
  tx: Tx,
  { tables, source }: Place,
  bytesAfterDays: number,
): Promise<number> {
  const { rows } = await tx.query<{ id: number }>(
    `update ${tables.entry} entry set body = null, pull = null, headers = '{}'
     from (
       select id from ${tables.entry}
       where source = $1 and state in ('done', 'skipped')
         and (body is not null or pull is not null)
         and handled_at < now() - $2::float8 * interval '1 day'
       order by handled_at
       limit ${batchSize}
       for update skip locked
     ) old
     where entry.id = old.id
     returning entry.id`,
    [source, bytesAfterDays],
  )
  const ids = rows.map(({ id }) => id)
  if (ids.length === 0) return 0
  await tx.query(
    `update ${tables.entryRevision} set pull = null where entry_id = any($1::bigint[])`,
    [ids],
  )
  await tx.query(`delete from ${tables.effect} where entry_id = any($1::bigint[])`, [ids])
  return ids.length
}

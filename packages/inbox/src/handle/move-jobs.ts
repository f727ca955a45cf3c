import { inOrderSql } from '../entry/sql.ts'
import { enqueueEntries } from '../queue/enqueue-entries.ts'
import { queueName } from '../queue/job.ts'
import type { Place } from '../queue/queue.ts'
import { every } from './claim-loop.ts'

const sliceSize = 1_000
/** Old processes of a deploy that changes `ordered` may store events until they are gone. */
const intervalMs = 60_000

/** Moves jobs now and every minute. `first` resolves after the first time, also if that failed. */
export function keepMoving(place: Place, onError: (error: unknown) => void) {
  let onFirst = () => {}
  const first = new Promise<void>((resolve) => (onFirst = resolve))
  return { first, ...every(intervalMs, () => moveJobs(place).finally(onFirst), onError) }
}

/**
 * Moves pending jobs to this queue after `ordered` has changed, in the order of acceptance, and
 * returns their number. Jobs that an old process runs stay with it. Safe in several processes at
 * once, and repeated, because old processes may still store events. Without such jobs it is one
 * statement.
 */
export async function moveJobs(place: Place): Promise<number> {
  const { database, tables, source, queue } = place
  const other = queueName(source, !queue.isOrdered)
  let moved = 0
  for (;;) {
    const count = await database.tx(async (tx) => {
      const { rows } = await tx.query<{ id: number; isQueued: boolean }>(
        `with pending as materialized (
           select (data ->> 'entryId')::bigint as entry_id from ${tables.job}
           where name = $2 and state < 'active'
         )
         select id, exists (
             select from (
               select name, state from ${tables.job} where data ->> 'entryId' = entry.id::text offset 0
             ) job where job.name = $3 and job.state < 'completed'
           ) as "isQueued"
         from ${tables.entry} entry where source = $1 and state = 'received'
           and id in (select entry_id from pending)
         ${inOrderSql} limit ${sliceSize} for update skip locked`,
        [source, other, queue.name],
      )
      const ids = rows.map(({ id }) => id)
      if (ids.length === 0) return 0
      const { rows: taken } = await tx.query<{ id: number }>(
        `delete from ${tables.job} where name = $1 and state < 'active'
           and data ->> 'entryId' = any($2::text[])
         returning (data ->> 'entryId')::bigint as id`,
        [other, ids.map(String)],
      )
      const free = new Set(taken.map(({ id }) => id))
      const queued = rows.filter(({ id, isQueued }) => free.has(id) && !isQueued)
      const theirIds = queued.map(({ id }) => id)
      await enqueueEntries(tx, place, theirIds, { byReceipt: true })
      return ids.length
    })
    if (count === 0) return moved
    moved += count
  }
}

import type { Tx } from '@feed-receiver/database'
import { enqueueEntries } from '../queue/enqueue-entries.ts'
import { nowSql } from '../queue/insert-jobs.ts'
import { queueName } from '../queue-names.ts'
import type { InboxContext } from '../context.ts'

const sliceSize = 1_000

/**
 * Moves pending jobs to this queue after `ordered` has changed, as if they had been queued when
 * their events were accepted. Their attempts begin anew. Jobs that an old process runs stay with it.
 * Safe in several processes at once, and repeated, because old processes may still store events.
 * Without such jobs it is two short statements.
 */
export async function moveJobs(context: InboxContext, signal: AbortSignal): Promise<void> {
  const { database, tables, source, queue } = context
  const other = queueName(source, !queue.isOrdered)
  for (let behind = zeroUuid; !signal.aborted;) {
    const { rows: pending } = await database.query<PendingJob>(
      `select id, (data ->> 'entryId')::bigint as "entryId" from ${tables.job}
       where name = $1 and state < 'active' and id > $2::uuid order by id limit ${sliceSize}`,
      [other, behind],
    )
    const last = pending.at(-1)
    if (!last) break
    behind = last.id
    await database.tx((tx) => moveSlice(tx, context, other, pending))
  }
  await markAsLatest(context, other)
}

/**
 * Dates this queue after the other one, which stays with its ended jobs. By that, commands know which
 * of the two the workers use.
 */
async function markAsLatest({ database, queue }: InboxContext, other: string): Promise<void> {
  const table = `${queue.schema}.queue`
  await database.query(
    `update ${table} set updated_on = ${nowSql(queue)}
     where name = $1 and updated_on <= (select updated_on from ${table} where name = $2)`,
    [queue.name, other],
  )
}

interface PendingJob {
  id: string
  entryId: number
}

const zeroUuid = '00000000-0000-0000-0000-000000000000'

async function moveSlice(
  tx: Tx,
  context: InboxContext,
  other: string,
  jobs: readonly PendingJob[],
): Promise<void> {
  const { tables, queue } = context
  const { rows } = await tx.query<{ id: number; isQueued: boolean }>(
    `select id, exists (
         select from (
           select name, state from ${tables.job} where data ->> 'entryId' = entry.id::text offset 0
         ) job where job.name = $2 and job.state < 'completed'
       ) as "isQueued"
     from ${tables.entry} entry where id = any($1::bigint[]) and state = 'received'
     order by id for no key update skip locked`,
    [jobs.map(({ entryId }) => entryId), queue.name],
  )
  const locked = new Set(rows.map(({ id }) => id))
  const theirs = jobs.filter(({ entryId }) => locked.has(entryId)).map(({ id }) => id)
  const { rows: taken } = await tx.query<{ entryId: number }>(
    `delete from ${tables.job} where name = $1 and state < 'active' and id = any($2::uuid[])
     returning (data ->> 'entryId')::bigint as "entryId"`,
    [other, theirs],
  )
  const free = new Set(taken.map(({ entryId }) => entryId))
  const lacking = rows.filter(({ id, isQueued }) => free.has(id) && !isQueued)
  const ids = lacking.map(({ id }) => id)
  await enqueueEntries(tx, context, ids, { byReceipt: true })
}

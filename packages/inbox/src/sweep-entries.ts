import type { Database } from '@feed-receiver/database'
import { orderKeySql, type EntryToQueue } from './order-key.ts'
import type { Queue } from './queue.ts'

export interface SweepOptions {
  database: Database
  table: string
  source: string
  queue: Queue
}

/** What a sweep put right. */
export interface Swept {
  /** Received entries that had lost their job, and have one again. */
  requeued: number
  /** Received entries whose job had gone to the dead letters behind the worker's back. */
  buried: number
}

/**
 * Looks after received entries that no job will bring to a handler: pg-boss deletes jobs that have
 * waited too long, and buries those whose last run was killed. Safe in several processes at once: a
 * job too many finds its entry done.
 */
export async function sweepEntries({
  database,
  table,
  source,
  queue,
}: SweepOptions): Promise<Swept> {
  const jobs = `${queue.schema}.job`
  const stranded = (columns: string) => `select ${columns} from ${table} as entry
    where source = $1 and state = 'received' and received_at < now() - interval '1 minute'
      and not exists (
        select from ${jobs} as job
        where job.name = '${queue.name}' and job.state < 'completed'
          and job.data ->> 'entryId' = entry.id::text
      )`

  const { rowCount: buried } = await database.query(
    `update ${table} set state = 'dead', handled_at = now() where id in (
       ${stranded('id')} and exists (
         select from ${jobs} as dead
         where dead.name = '${queue.deadLetter}' and dead.data ->> 'entryId' = entry.id::text
       )
     )`,
    [source],
  )
  const requeued = await database.tx(async (tx) => {
    if (queue.isOrdered) await queue.unblock(tx)
    const { rows } = await tx.query<EntryToQueue>(
      `${stranded(`id, ${orderKeySql} as "orderKey"`)}
       order by id limit ${maxRequeued} for update skip locked`,
      [source],
    )
    if (rows.length > 0) await queue.enqueue(rows, tx)
    return rows.length
  })
  return { requeued, buried }
}

/** What is left over comes with the next sweep. */
const maxRequeued = 1_000

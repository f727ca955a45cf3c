import type { Database, Tx } from '@feed-receiver/database'
import { findStranded, hasNoJobSql, isBuriedSql } from './find-stranded.ts'
import { inOrderSql, orderKeySql, type EntryToQueue } from '../entry/order-key.ts'
import type { Queue } from '../queue/queue.ts'

export interface SweepOptions {
  database: Database
  table: string
  source: string
  queue: Queue
  /**
   * How many received entries one statement looks at; an embedded database does nothing else meanwhile.
   * @default 250
   */
  sliceSize?: number
  /**
   * How many slices one sweep has; the next one goes on from there.
   * @default 80
   */
  maxSlices?: number
}

/** What a sweep put right. */
export interface Swept {
  /** Received entries that had lost their job, and have one again. */
  requeued: number
  /** Received entries whose job had gone to the dead letters behind the worker's back. */
  buried: number
}

/**
 * Makes what looks after received entries that no job will bring to a handler: pg-boss deletes jobs
 * that have waited too long, and buries those whose last run was killed. Safe in several processes at
 * once: a job too many finds its entry done.
 */
export function createSweep({
  database,
  sliceSize = 250,
  maxSlices = 80,
  ...place
}: SweepOptions): () => Promise<Swept> {
  let behind: number | undefined

  return async () => {
    const swept: Swept = { requeued: 0, buried: 0 }
    await database.tx((tx) => place.queue.unblock(tx))
    for (let slices = 0; slices < maxSlices; slices += 1) {
      const { stranded, end } = await findStranded(database, { ...place, sliceSize }, behind)
      behind = end
      if (stranded.length > 0) {
        const { requeued, buried } = await database.tx((tx) => putRight(tx, stranded, place))
        swept.requeued += requeued
        swept.buried += buried
      }
      if (end === undefined) break
    }
    return swept
  }
}

async function putRight(
  tx: Tx,
  ids: readonly number[],
  { table, queue }: Pick<SweepOptions, 'table' | 'queue'>,
): Promise<Swept> {
  // Asked again under the lock: another process may sweep as well.
  const { rows } = await tx.query<EntryToQueue & { isBuried: boolean }>(
    `select id, ${orderKeySql} as "orderKey", ${isBuriedSql(queue)} as "isBuried"
     from ${table} entry
     where id = any($1::bigint[]) and state = 'received' and ${hasNoJobSql(queue)}
     ${inOrderSql}
     for update skip locked`,
    [ids],
  )
  const buried = rows.filter(({ isBuried }) => isBuried).map(({ id }) => id)
  const lost = rows.filter(({ isBuried }) => !isBuried)
  if (buried.length > 0) {
    await tx.query(
      `update ${table} set state = 'dead', handled_at = now() where id = any($1::bigint[])`,
      [buried],
    )
  }
  if (lost.length > 0) await queue.enqueue(lost, tx)
  return { requeued: lost.length, buried: buried.length }
}

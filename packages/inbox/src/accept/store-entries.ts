import type { EventDelivery } from '@feed-receiver/core'
import type { Queryable } from '@feed-receiver/database'
import { entryValues, insertEntriesSql, type NewEntry } from './insert-entries.ts'
import { insertJobsSql, wakeSql } from '../queue/insert-jobs.ts'
import type { Queue } from '../queue/queue.ts'

export interface StoreEntriesOptions {
  table: string
  source: string
  queue: Queue
}

/** Stores the events that are not known yet, and queues a job for each, both or neither. */
export type StoreEntries = (
  db: Queryable,
  deliveries: readonly EventDelivery[],
) => Promise<NewEntry[]>

/** Entries, jobs and the call that wakes the workers in one statement: one round trip. */
export function storeInOneStatement({ table, source, queue }: StoreEntriesOptions): StoreEntries {
  const text = `with stored as (${insertEntriesSql(table)}),
    queued as (${insertJobsSql(queue)}),
    woken as (${wakeSql(queue)} where exists (select from queued))
    select id, "eventId" from stored where (select count(*) from woken) >= 0`
  return async (db, deliveries) => {
    if (deliveries.length === 0) return []
    const values = entryValues(source, deliveries)
    const options = { isRepeated: true, isUrgent: true }
    const { rows } = await db.query<NewEntry>(text, values, options)
    return rows
  }
}

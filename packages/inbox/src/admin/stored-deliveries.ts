import { checkOption } from '../errors.ts'
import type { Database, Tx } from '@feed-receiver/database'
import { findConditions, matchingSql, type EntryFilter } from '../entry/entry-filter.ts'
import { isoTime, newestFirstSql } from '../entry/sql.ts'
import { tablesIn } from '../entry/tables.ts'
import { checkTarget } from './requeue-entries.ts'

/** A stored event in a list of deliveries, without its bytes. */
export interface StoredDelivery {
  id: number
  eventId: string
  type: string
  receivedAt: string
}

/** The stored deliveries to select: by event ids, or the newest that match a filter. */
export type StoredDeliveryTarget = { ids: readonly string[] } | { filter: EntryFilter }

export interface StoredDeliveriesOptions {
  /** A database that the caller opens and closes. */
  database: Database
  /** The source of the inbox, as `createInbox` has it. */
  source: string
  /** The schema of its tables, as `createInbox` has it. */
  schema: string
}

/** The deliveries of an inbox that need not run. */
export interface StoredDeliveries {
  /** Finds at most `limit` deliveries, oldest first. Errors: `bad_option`. */
  find(target: StoredDeliveryTarget, limit: number): Promise<StoredDelivery[]>
  /** The exact bytes of a delivery; null if they were pruned, or the event came by pull. */
  bytesOf(delivery: StoredDelivery): Promise<Uint8Array | null>
}

/**
 * Reads the deliveries of an inbox without starting it: no queue, no migration, and each call in a
 * read-only transaction. The role needs only `select` on the tables of entries and bodies.
 */
export function storedDeliveries(options: StoredDeliveriesOptions): StoredDeliveries {
  const { database, source, schema } = options
  const tables = tablesIn(schema)
  const columns = `id, event_id as "eventId", type, ${isoTime('received_at')} as "receivedAt"`
  return { find, bytesOf }

  async function find(target: StoredDeliveryTarget, limit: number): Promise<StoredDelivery[]> {
    checkTarget(target)
    checkOption(Number.isInteger(limit) && limit >= 1, 'limit: use a whole number from 1.')
    const isByIds = 'ids' in target
    return await reading(async (tx) => {
      const context = { database: tx, source, tables }
      const { parts, values } = await findConditions(context, isByIds ? {} : target.filter)
      if (isByIds) values.push(target.ids)
      const isNamed = isByIds ? ` and event_id = any($${values.length}::text[])` : ''
      const order = `${newestFirstSql} limit ${limit}`
      const named = parts.map((part) => part + isNamed)
      const sql = `select ${columns} from ${matchingSql(tables, named, order)} entry ${order}`
      const { rows } = await tx.query<StoredDelivery>(sql, values)
      return rows.toReversed()
    })
  }

  async function bytesOf({ id }: StoredDelivery): Promise<Uint8Array | null> {
    return await reading(async (tx) => {
      const sql = `select body from ${tables.entryBody} where entry_id = $1`
      const { rows } = await tx.query<{ body: Uint8Array | null }>(sql, [id])
      return rows[0]?.body ?? null
    })
  }

  async function reading<Result>(read: (tx: Tx) => Promise<Result>): Promise<Result> {
    return await database.tx(async (tx) => {
      await tx.query('set transaction read only')
      return await read(tx)
    })
  }
}

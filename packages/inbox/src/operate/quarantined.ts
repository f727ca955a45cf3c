import type { Database } from '@feed-receiver/database'
import { getQuarantined, type QuarantinedDetails } from './get-quarantined.ts'
import {
  listQuarantined,
  type ListQuarantinedOptions,
  type QuarantinedPage,
} from './list-quarantined.ts'
import type { Queue } from '../queue/queue.ts'
import { recordOperation } from './record-operation.ts'
import { releaseQuarantined } from './release-quarantined.ts'
import { settleQuarantined, takeQuarantined } from './settle-quarantined.ts'
import { storeInOneStatement } from '../accept/store-entries.ts'
import type { Tables } from '../entry/tables.ts'

export interface SettleOptions {
  /** Who does it; kept with the time. */
  by?: string | undefined
}

/** What is in quarantine: authentic deliveries that no handler may see. */
export interface QuarantinedDeliveries {
  /** One page, the latest rows first. */
  list(options?: ListQuarantinedOptions): Promise<QuarantinedPage>
  /** One row with its bytes; null where there is none. */
  get(id: number): Promise<QuarantinedDetails | null>
  /**
   * Reads a delivery with today's parser and stores its event, with a job, as if it came now.
   * Errors: `still_unreadable`, `id_conflict`, `already_settled`, `not_quarantined`.
   */
  release(id: number, options?: SettleOptions): Promise<'stored' | 'duplicate'>
  /** Marks a row as dealt with. Errors: `already_settled`, `not_quarantined`. */
  discard(id: number, options?: SettleOptions): Promise<void>
}

export interface QuarantinedOptions {
  tables: Tables
  source: string
  whenRunning: () => Promise<{ database: Database; queue: Queue }>
}

/** Makes the read model of quarantine. */
export function createQuarantined({
  tables,
  source,
  whenRunning,
}: QuarantinedOptions): QuarantinedDeliveries {
  const table = tables.quarantine
  return {
    async list(options) {
      const { database } = await whenRunning()
      return await listQuarantined(database, table, source, options)
    },
    async get(id) {
      const { database } = await whenRunning()
      return await getQuarantined(database, table, source, id)
    },
    async release(id, { by } = {}) {
      const { database, queue } = await whenRunning()
      const storeEntries = storeInOneStatement({ table: tables.entry, source, queue })
      const options = { tables, source, storeEntries }
      return await database.tx((tx) => releaseQuarantined(tx, id, by, options))
    },
    async discard(id, { by } = {}) {
      const { database } = await whenRunning()
      await database.tx(async (tx) => {
        await takeQuarantined(tx, table, source, id)
        await settleQuarantined(tx, table, id, 'discarded', by)
        await recordOperation(tx, tables, source, { kind: 'discard', by, quarantineId: id })
      })
    },
  }
}

import type { Database } from '@feed-receiver/database'
import { countEntries, type BoundedCount } from '../entry/count-entries.ts'
import type { EntryFilter } from '../entry/entry-filter.ts'
import { findFacets, type Facets } from './find-facets.ts'
import { getEntry, type EntryDetails } from './get-entry.ts'
import { listEntries, type EntryPage, type ListEntriesOptions } from './list-entries.ts'
import type { Queue } from '../queue/queue.ts'
import { retryEntries, type RetryOptions, type RetryTarget } from './retry-entries.ts'
import type { Tables } from '../entry/tables.ts'

export interface CountOptions {
  /**
   * Where to stop counting.
   * @default 100_000
   */
  upTo?: number
}

/** What the inbox holds, as consoles and commands show it. */
export interface Entries {
  /** One page of entries, newest first. */
  list(options?: ListEntriesOptions): Promise<EntryPage>
  /** One entry by the id of its event, with its bytes and its job; null where there is none. */
  get(eventId: string): Promise<EntryDetails | null>
  /** How many entries a filter finds. */
  count(filter?: EntryFilter, options?: CountOptions): Promise<BoundedCount>
  /** The providers, types and categories by which entries can be filtered. */
  facets(): Promise<Facets>
  /** Puts dead or skipped entries back to received, with a new job, and gives their number. */
  retry(target: RetryTarget, options?: RetryOptions): Promise<number>
}

export interface EntriesOptions {
  tables: Tables
  source: string
  whenRunning: () => Promise<{ database: Database; queue: Queue }>
}

/** Makes the read model of entries. */
export function createEntries({ tables, source, whenRunning }: EntriesOptions): Entries {
  return {
    async list(options) {
      const { database } = await whenRunning()
      return await listEntries(database, tables.entry, source, options)
    },
    async get(eventId) {
      const { database, queue } = await whenRunning()
      return await getEntry(database, tables, { source, queue: queue.name, eventId })
    },
    async count(filter = {}, { upTo = 100_000 } = {}) {
      const { database } = await whenRunning()
      return await countEntries(database, tables.entry, source, filter, upTo)
    },
    async facets() {
      const { database } = await whenRunning()
      return await findFacets(database, tables.entry, source)
    },
    async retry(target, options = {}) {
      const { database, queue } = await whenRunning()
      const { enqueue } = queue
      return await retryEntries(database, target, options, { tables, source, enqueue })
    },
  }
}

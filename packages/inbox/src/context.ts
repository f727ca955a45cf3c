import type { Database } from '@feed-receiver/database'
import type { Tables } from './entry/tables.ts'
import type { Queue } from './queue/queue.ts'

/** The tables of one inbox: all that reading them needs. */
export interface InboxStore {
  database: Database
  /** The names of the tables, with their schema. */
  tables: Tables
  /** The name of the feed, which is stored in every row. */
  source: string
}

/** A running inbox: its tables, and the queue that brings entries to their handlers. */
export interface InboxContext extends InboxStore {
  queue: Queue
}

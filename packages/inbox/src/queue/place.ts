import type { Database } from '@feed-receiver/database'
import type { Tables } from '../entry/tables.ts'
import type { Queue } from './queue.ts'

/** Where the entries of one inbox are, and the jobs that bring them to their handlers. */
export interface Place {
  database: Database
  tables: Tables
  /** The name of the feed, which every row has. */
  source: string
  queue: Queue
}

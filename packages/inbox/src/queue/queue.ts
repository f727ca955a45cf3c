import type { Database } from '@feed-receiver/database'
import type { Tables } from '../entry/tables.ts'
import type { SqlExecutor } from './job.ts'
import type { openQueue } from './open-queue.ts'

export type { ClaimedJob, SqlExecutor } from './job.ts'
export type { Limits } from './open-queue.ts'

/** The queue of one inbox. */
export type Queue = Awaited<ReturnType<typeof openQueue>>

/** The database of one inbox: its entries, and the jobs that bring them to their handlers. */
export interface InboxContext {
  database: Database
  tables: Tables
  /** The name of the feed, which is stored in every row. */
  source: string
  queue: Queue
  /** Whether the database is on Citus; false if omitted. */
  hasCitus?: boolean
}

/** The part of a place that needs no queue. */
export type InboxStore = Pick<InboxContext, 'database' | 'tables' | 'source'>

/**
 * Runs a function inside one transaction and commits when it resolves. `tx` is the handlers'
 * transaction. Through `sql` the inbox marks the entry as done in the same transaction. `signal`
 * aborts when the attempt should end.
 */
export type RunInTransaction<AppTx> = (
  run: (tx: AppTx, sql: SqlExecutor) => Promise<void>,
  signal?: AbortSignal,
) => Promise<void>

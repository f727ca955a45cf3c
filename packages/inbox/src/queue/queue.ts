import type { Database, Tx } from '@feed-receiver/database'
import type { EntryToQueue } from '../entry/order-key.ts'
import type { Tables } from '../entry/tables.ts'

/** Where the entries of one inbox are, and the jobs that bring them to their handlers. */
export interface Place {
  database: Database
  tables: Tables
  /** The name of the feed, which every row has. */
  source: string
  queue: Queue
}

/** Where the jobs of one inbox are. */
export interface JobsPlace {
  name: string
  schema: string
  /** The partition of the job table that holds them. */
  partition: string
  /** Whether the jobs of one order key run one after the other. */
  isOrdered: boolean
}

/** What a job carries: the entry to handle; everything else is in its row. */
export interface EntryJob {
  entryId: number
}

/** As much of a job of pg-boss as a run needs; its own types are not for our users to compile. */
export interface ClaimedJob {
  id: string
  data: EntryJob
  /** 0 for the first run; with the id it names this claim of the job and no other. */
  retryCount: number
  retryLimit: number
  /** For how long it counts as alive after a sign of life. */
  heartbeatSeconds: number | null
}

/** The queue of one inbox. */
export interface Queue extends JobsPlace {
  /** The name of the queue that holds the dead letters. */
  readonly deadLetter: string
  /** Queues the work of entries, in the order given and the transaction that stores them. */
  enqueue(entries: readonly EntryToQueue[], tx: Tx): Promise<void>
  /** Completes a job in the transaction of its effects; false where another run holds it by now. */
  complete(job: ClaimedJob, tx: SqlExecutor): Promise<boolean>
  /** Fails the attempt that was claimed, and says whether it still was the one. */
  fail(job: ClaimedJob, error: unknown, tx: Tx): Promise<boolean>
  /** Makes the attempt that was claimed the last one. */
  spendRetries(job: ClaimedJob, tx: Tx): Promise<void>
  /** Says when a failed job is due again, in place of the backoff. */
  postpone(job: ClaimedJob, seconds: number, tx: Tx): Promise<void>
  /** Lets the jobs run that wait behind dead ones of their order key. */
  unblock(tx: Tx): Promise<void>
  /** Claims up to so many jobs that are due. */
  claim(limit: number): Promise<ClaimedJob[]>
  /** Shows a sign of life of a claimed job; false where another run has it by now. */
  keep(job: ClaimedJob): Promise<boolean>
  /** Calls back when there may be something to claim, until the function that it gives is called. */
  listen(onNews: () => void): Promise<() => Promise<void>>
  /** Lets go of the database. */
  stop(): Promise<void>
}

/** Runs SQL with `$1…` parameters; pg-boss makes one from a transaction of Drizzle, Kysely, Knex … */
export interface SqlExecutor {
  /** Whether anything has been run through it, where it can tell. */
  readonly isBegun?: boolean
  executeSql(text: string, values?: readonly unknown[]): Promise<{ rows: unknown[] }>
}

/**
 * Runs a function inside one transaction and commits when it resolves. `tx` is what handlers get;
 * through `sql` the inbox marks the entry as done in the same transaction.
 */
export type RunInTransaction<AppTx> = (
  run: (tx: AppTx, sql: SqlExecutor) => Promise<void>,
) => Promise<void>

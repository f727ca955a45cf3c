import type { Tx } from '@feed-receiver/database'
import type { ClaimedJob, JobTable, SqlExecutor } from './job.ts'

export type { ClaimedJob, SqlExecutor } from './job.ts'

/** The maximum number of concurrent jobs by type; other types have no limit. */
export type Limits = ReadonlyMap<string, number>

/** The queue of one inbox: pg-boss, in the schema of the inbox. */
export interface Queue extends JobTable {
  /** The name of the dead-letter queue. */
  readonly deadLetter: string
  /** Claims up to a number of due jobs, without these types. */
  claim(limit: number, pausedTypes?: string[]): Promise<ClaimedJob[]>
  /** Claims the first due job within the limits of types, and without paused types. */
  claimWithin(limits: Limits, pausedTypes: string[], tx: Tx): Promise<ClaimedJob | undefined>
  /** Sends a heartbeat for a claimed job; false if another attempt has claimed it. */
  keep(job: ClaimedJob): Promise<boolean>
  /** Completes a job in the transaction of its effects; false if another attempt has claimed it. */
  complete(job: ClaimedJob, tx: SqlExecutor): Promise<boolean>
  /** Fails the claimed attempt; false if it was no longer the current one. */
  fail(job: ClaimedJob, error: unknown, tx: Tx): Promise<boolean>
  /** Makes the claimed attempt the last one. */
  spendRetries(job: ClaimedJob, tx: Tx): Promise<void>
  /** Sets when a failed job is due again, instead of the backoff. */
  postpone(job: ClaimedJob, seconds: number, tx: Tx): Promise<void>
  /** Lets jobs run that wait behind dead ones of their order key. */
  unblock(tx: Tx): Promise<void>
  /** Runs a statement on connections that no handler can hold. */
  query<Row>(text: string, values: unknown[]): Promise<Row[]>
  /**
   * Calls back when there may be jobs to claim, and before that if pauses may have changed. Returns
   * a function that unsubscribes.
   */
  listen(onNews: () => void, onPauses?: () => void): Promise<() => Promise<void>>
  /** Releases the database. */
  stop(): Promise<void>
}

/**
 * Runs a function inside one transaction and commits when it resolves. `tx` is the handlers'
 * transaction. Through `sql` the inbox marks the entry as done in the same transaction. `signal`
 * aborts when the attempt should end.
 */
export type RunInTransaction<AppTx> = (
  run: (tx: AppTx, sql: SqlExecutor) => Promise<void>,
  signal?: AbortSignal,
) => Promise<void>

import type { LastStatement, QueryOptions, Subscription, Tx } from '@feed-receiver/database'

/** The tables of one inbox's jobs. */
export interface JobTable {
  name: string
  schema: string
  /** The partition of the job table that contains them. */
  partition: string
  /** Whether jobs of one order key run one after the other. */
  isOrdered: boolean
  /** By event type; other types have 0. */
  priorities: Readonly<Record<string, number>>
}

/**
 * The members of a pg-boss job that a run needs. The types of pg-boss must not reach our users'
 * compilers.
 */
export interface ClaimedJob {
  id: string
  /** The entry to handle. Its row has everything else. */
  data: { entryId: number }
  /** The type of its event. */
  groupId?: string | null
  /** 0 for the first attempt. An unclaimed job had none, so the next claim has the same count. */
  retryCount: number
  retryLimit: number
  /** How long it counts as alive after a heartbeat. */
  heartbeatSeconds: number | null
}

/**
 * Runs SQL with `$1…` parameters; pg-boss makes one from a transaction of Drizzle, Kysely, Knex …
 */
export interface SqlExecutor {
  /** Whether a statement has run through it, if it can tell. */
  readonly isBegun?: boolean
  /** Resolves to one object for each row that the statement returns, also for an UPDATE. */
  executeSql(text: string, values?: readonly unknown[]): Promise<{ rows: unknown[] }>
  /**
   * Sets a statement that runs right before the commit. An error of it rolls the transaction back.
   * Transactions of the app have no such way.
   */
  endWith?(statement: LastStatement): void
}

/** The maximum number of concurrent jobs by type; other types have no limit. */
export type Limits = ReadonlyMap<string, number>

/** The queue of one inbox: pg-boss, in the schema of the inbox. */
export interface Queue extends JobTable {
  /** The name of the dead-letter queue. */
  readonly deadLetter: string
  /**
   * Claims up to a number of jobs that are due, which means that their start time has come, unless a
   * pause, a limit or another job of their order key holds them back. Resolves to what `executor`
   * returns for them.
   */
  claim<Job extends ClaimedJob>(limit: number, options?: ClaimOptions): Promise<Job[]>
  /** Sends a heartbeat for a claimed job; false if another attempt has claimed it. */
  sendHeartbeat(job: ClaimedJob): Promise<boolean>
  /** Completes a job in the transaction of its effects; false if another attempt has claimed it. */
  complete(job: ClaimedJob, tx: SqlExecutor): Promise<boolean>
  /** Fails the claimed attempt; false if it was no longer the current one. */
  fail(job: ClaimedJob, error: unknown, tx: Tx): Promise<boolean>
  /** Makes the claimed attempt the last one. */
  exhaustRetries(job: ClaimedJob, tx: Tx): Promise<void>
  /** Sets when a failed job is due again, instead of the backoff. */
  postpone(job: ClaimedJob, seconds: number, tx: Tx): Promise<void>
  /** Lets jobs run that wait behind dead ones of their order key. */
  unblock(tx: Tx): Promise<void>
  /** Runs a statement on connections that no handler can hold. */
  query<Row>(
    text: string,
    values?: readonly unknown[],
    options?: Pick<QueryOptions, 'isRepeated'>,
  ): Promise<Row[]>
  /** Calls back when there may be jobs to claim, and before that if pauses may have changed. */
  listen(onJobs: () => void, onPauses?: () => void): Promise<Subscription>
  /** For a worker without work. */
  readStatus(): Promise<QueueStatus>
  /**
   * Makes the jobs of killed workers due again and deletes old ones, if no process has done it within
   * the last seconds.
   */
  supervise(): Promise<void>
  /** Releases the database. */
  stop(): Promise<void>
}

/** The state of a queue, as far as a worker without work needs it. */
export interface QueueStatus {
  /**
   * How long until the next job is due, in milliseconds; not positive if one is. Null if none waits.
   */
  msUntilDue: number | null
  /** Whether a worker has claimed jobs, also of the queue before `ordered` changed. */
  hasActive: boolean
}

/** How jobs are claimed. */
export interface ClaimOptions {
  /** Their jobs stay. */
  pausedTypes?: string[]
  /** Across all processes. */
  limits?: Limits
  /** Runs the statement of pg-boss that claims jobs, for example as part of another one. */
  executor?: SqlExecutor
}

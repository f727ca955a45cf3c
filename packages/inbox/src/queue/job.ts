/** Where the jobs of one inbox are. */
export interface JobsPlace {
  name: string
  schema: string
  /** The partition of the job table that holds them. */
  partition: string
  /** Whether the jobs of one order key run one after the other. */
  isOrdered: boolean
}

/** As much of a job of pg-boss as a run needs; its own types are not for our users to compile. */
export interface ClaimedJob {
  id: string
  /** The entry to handle; everything else is in its row. */
  data: { entryId: number }
  /** 0 for the first run; with the id it names this claim of the job and no other. */
  retryCount: number
  retryLimit: number
  /** For how long it counts as alive after a sign of life. */
  heartbeatSeconds: number | null
}

/** Runs SQL with `$1…` parameters; pg-boss makes one from a transaction of Drizzle, Kysely, Knex … */
export interface SqlExecutor {
  /** Whether anything has been run through it, where it can tell. */
  readonly isBegun?: boolean
  executeSql(text: string, values?: readonly unknown[]): Promise<{ rows: unknown[] }>
}

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

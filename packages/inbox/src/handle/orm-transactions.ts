import type { RunInTransaction } from '../queue/queue.ts'

/** The members of a drizzle-orm database that are used here. */
export interface DrizzleDatabase<AppTx> {
  transaction(run: (tx: AppTx) => Promise<void>): Promise<void>
}

export interface DrizzleTransaction {
  execute(query: unknown): Promise<{ rows: unknown[] } | unknown[]>
}

/** The `sql` of drizzle-orm. */
export interface DrizzleSql {
  (strings: TemplateStringsArray, ...values: unknown[]): unknown
  param(value: unknown): unknown
}

/** For the option `transaction`: handlers get a Drizzle transaction as their `tx`. */
export function drizzleTransaction<AppTx extends DrizzleTransaction>(
  db: DrizzleDatabase<AppTx>,
  sql: DrizzleSql,
): RunInTransaction<AppTx> {
  return async (run) => {
    const { fromDrizzle } = await import('pg-boss')
    await db.transaction((tx) => run(tx, fromDrizzle(tx, sql)))
  }
}

/** The members of a Kysely database that are used here. */
export interface KyselyDatabase<AppTx> {
  transaction(): { execute(run: (tx: AppTx) => Promise<void>): Promise<void> }
}

export interface KyselyTransaction {
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- as Kysely has it
  executeQuery<Row>(query: {
    readonly sql: string
    readonly parameters: readonly unknown[]
    readonly query: never
    readonly queryId: { readonly queryId: string }
  }): Promise<{ readonly rows: Row[] }>
}

/** For the option `transaction`: handlers get a Kysely transaction as their `tx`. */
export function kyselyTransaction<AppTx extends KyselyTransaction>(
  db: KyselyDatabase<AppTx>,
): RunInTransaction<AppTx> {
  return async (run) => {
    const { fromKysely } = await import('pg-boss')
    await db.transaction().execute((tx) => run(tx, fromKysely(tx)))
  }
}

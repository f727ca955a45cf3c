export { openDatabase } from './open-database.ts'
export type { DatabaseTarget } from './open-database.ts'
export type { Database } from './database.ts'
export type { BossDb, BossOptions, DatabaseOptions, Result, Subscription } from './driver.ts'
export type {
  InitialSql,
  LastStatement,
  OpenOptions,
  OpenTx,
  Queryable,
  QueryOptions,
  Tx,
  TxOptions,
  TxPart,
} from './driver.ts'
export type { MigrateOptions } from './migrate/migrate.ts'
export type { Migrations } from './migrate/migration-files.ts'
export type { PgClient, PgPool, PgResult, PgStatement } from './postgres/postgres-connect.ts'

export { DatabaseError } from './errors.ts'
export type { DatabaseErrorCode } from './errors.ts'

export { openDatabase } from './open-database.ts'
export type { DatabaseTarget } from './open-database.ts'
export type { Database } from './database.ts'
export type {
  BossDb,
  BossOptions,
  DatabaseOptions,
  Queryable,
  QueryOptions,
  Result,
  Tx,
} from './driver.ts'
export { createGroupCommit } from './group-commit.ts'
export type { CommitGroup, GroupCommit, GroupCommitOptions } from './group-commit.ts'
export { migrationSql } from './migrate/migrate.ts'
export type { MigrateOptions } from './migrate/migrate.ts'
export type { PgClient, PgPool, PgResult, PgStatement } from './postgres/postgres-connect.ts'

export { DatabaseError } from './errors.ts'
export type { DatabaseErrorCode } from './errors.ts'

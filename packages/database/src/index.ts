export { openDatabase } from './open-database.ts'
export type { Database, DatabaseOptions, DatabaseTarget } from './open-database.ts'
export type { BossDb, BossOptions, Queryable, QueryOptions, Result, Tx } from './driver.ts'
export { migrationSql } from './migration-sql.ts'
export type { MigrateOptions } from './migrate.ts'
export type { PgClient, PgPool, PgResult, PgStatement } from './postgres-client.ts'

export { DatabaseError } from './errors.ts'
export type { DatabaseErrorCode } from './errors.ts'

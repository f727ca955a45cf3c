// For the other packages of the kit. It may change in every release.
export { isInTxSql, markTxSql } from './driver.ts'
export { installTemplates } from './embedded/pglite-template.ts'
export { createGroupCommit } from './group-commit.ts'
export type { CommitGroup, GroupCommit, GroupCommitOptions } from './group-commit.ts'
export { migrationSql } from './migrate/migrate.ts'
export { readTarget } from './open-database.ts'
export { untilAvailable } from './until-available.ts'

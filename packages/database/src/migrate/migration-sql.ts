import { assertSchemaName, type MigrateOptions } from './migrate.ts'
import { readMigrationFiles } from './migration-files.ts'
import { migrationTables } from './migration-tables.ts'

/**
 * What `migrate` does to a database that has nothing of it yet, as SQL for an owner to run. `migrate`
 * then finds it all applied. Errors: `migration_folder`, `bad_schema`.
 */
export async function migrationSql(
  folder: string | URL,
  { schema }: MigrateOptions,
): Promise<string> {
  assertSchemaName(schema)
  const files = await readMigrationFiles(folder)
  return [
    'begin;',
    ...migrationTables(schema).map((statement) => `${statement};`),
    `set local search_path to ${schema};`,
    ...files.flatMap(({ name, sql, sha256 }) => [
      sql,
      `insert into ${schema}.migration (name, sha256) values ('${name}', '${sha256}');`,
    ]),
    'commit;',
    '',
  ].join('\n')
}

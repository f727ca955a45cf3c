import type { Database } from '@feed-receiver/database'
import { checkOption, problem } from '../errors.ts'
import { migrations as inboxMigrations } from './index.ts'
import { jobIndexes } from '../queue/job.ts'

export interface InboxSqlOptions {
  /** The role of the app. It may read and write rows, but not change tables. */
  role: string
  /**
   * As in `createInbox`.
   * @default 'feed_inbox'
   */
  schema?: string
}

/**
 * Returns the SQL with which an owner sets up a new inbox in PostgreSQL, for a role that may then
 * run it with `migrate: false`. Run it once, with psql or any client that accepts several
 * statements at once. Errors: `bad_option`, and those of the database package.
 */
export async function inboxSql({ role, schema = 'feed_inbox' }: InboxSqlOptions): Promise<string> {
  const isName = role !== '' && !role.includes('\0')
  checkOption(isName, 'role: use the name of the database role that the app connects with.')
  const { migrationSql } = await import('@feed-receiver/database')
  const { getConstructionPlans } = await import('pg-boss')
  const statements = [...jobIndexes(schema), ...grants(schema, `"${role.replaceAll('"', '""')}"`)]
  return [
    await migrationSql(inboxMigrations, { schema }),
    getConstructionPlans(schema, { createSchema: false }),
    'begin;',
    ...statements.map((statement) => `${statement};`),
    'commit;',
    '',
  ].join('\n')
}

function grants(schema: string, role: string): string[] {
  const rights = 'select, insert, update, delete'
  return [
    `grant usage on schema ${schema} to ${role}`,
    `grant ${rights} on all tables in schema ${schema} to ${role}`,
    // To read at the start whether their ids are still free.
    `grant select on all sequences in schema ${schema} to ${role}`,
    `grant execute on all functions in schema ${schema} to ${role}`,
    // Only the owner records which migrations are applied.
    `revoke insert, update, delete on ${schema}.migration, ${schema}.migration_lock from ${role}`,
    // Covers tables of later versions, if the same owner migrates.
    `alter default privileges in schema ${schema} grant ${rights} on tables to ${role}`,
    `alter default privileges in schema ${schema} grant execute on functions to ${role}`,
  ]
}

export interface InstallOptions {
  schema: string
  migrate: boolean
  /** @default those of the inbox itself */
  migrations?: Readonly<Record<string, string>>
  /** The extension whose migrations they are. */
  owner?: string
}

/** Migrates the tables, or with `migrate: false` checks that they are migrated. */
export async function installTables(
  database: Database,
  { schema, migrate, migrations = inboxMigrations, owner }: InstallOptions,
): Promise<void> {
  if (migrate) {
    await database.migrate(migrations, { schema, owner })
    return
  }
  const names = await database.missingMigrations(migrations, { schema, owner })
  if (names.length === 0) return
  throw problem('not_migrated', { schema, missing: names.join(', ') })
}

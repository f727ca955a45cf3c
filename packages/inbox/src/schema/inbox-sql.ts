import type { Database } from '@feed-receiver/database'
import { checkOption, InboxError } from '../errors.ts'
import { migrations as inboxMigrations } from './index.ts'
import { jobIndexes } from '../queue/job-indexes.ts'

export interface InboxSqlOptions {
  /** The role of the app. It may read and write rows, but not change tables. */
  role: string
  /**
   * As in `createInbox`.
   * @default 'feed_inbox'
   */
  schema?: string
  /**
   * The extensions whose tables to create, such as `[auditTables]` of `@feed-receiver/operate`.
   * @default none
   */
  extensions?: readonly ExtensionTables[]
}

/** The tables of an extension, as numbered migrations. */
export interface ExtensionTables {
  /** The name of the extension, which records the migrations. */
  name: string
  /** The SQL of each migration by its name `NNNN-name.sql`, in the order of the numbers. */
  migrations: Readonly<Record<string, string>>
}

/**
 * Returns the SQL with which an owner sets up a new inbox in PostgreSQL, for a role that may then
 * run it with `migrate: false`. Run it once, with psql or any client that accepts several
 * statements at once. Errors: `bad_option`, and those of the database package.
 */
export async function inboxSql({
  role,
  schema = 'feed_inbox',
  extensions = [],
}: InboxSqlOptions): Promise<string> {
  const isName = role !== '' && !role.includes('\0')
  checkOption(isName, 'role: use the name of the database role that the app connects with.')
  const { migrationSql } = await import('@feed-receiver/database/internal')
  const lists = ['migration', ...extensions.map(({ name }) => `migration_${name}`)]
  const grantee = `"${role.replaceAll('"', '""')}"`
  const tables = extensions.map(({ name, migrations }) =>
    migrationSql(migrations, { schema, owner: name }),
  )
  return [
    await tablesSql(schema),
    ...(await Promise.all(tables)),
    ...inTransaction(grants(schema, grantee, lists)),
  ].join('\n')
}

/** The SQL that creates the tables of the inbox and of its queue in a database without them. */
export async function tablesSql(schema: string): Promise<string> {
  const { migrationSql } = await import('@feed-receiver/database/internal')
  const { getConstructionPlans } = await import('pg-boss')
  return [
    await migrationSql(inboxMigrations, { schema }),
    getConstructionPlans(schema, { createSchema: false }),
    ...inTransaction(jobIndexes(schema)),
  ].join('\n')
}

function inTransaction(statements: readonly string[]): string[] {
  return ['begin;', ...statements.map((statement) => `${statement};`), 'commit;', '']
}

function grants(schema: string, role: string, lists: readonly string[]): string[] {
  const rights = 'select, insert, update, delete'
  const applied = [...lists, 'migration_lock'].map((table) => `${schema}.${table}`).join(', ')
  return [
    `grant usage on schema ${schema} to ${role}`,
    `grant ${rights} on all tables in schema ${schema} to ${role}`,
    // To read at the start whether their ids are still free.
    `grant select on all sequences in schema ${schema} to ${role}`,
    `grant execute on all functions in schema ${schema} to ${role}`,
    // Only the owner records which migrations are applied.
    `revoke insert, update, delete on ${applied} from ${role}`,
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
    if (owner !== undefined) await revokeWriting(database, schema, `migration_${owner}`)
    return
  }
  const names = await database.missingMigrations(migrations, { schema, owner })
  if (names.length === 0) return
  const missing = names.join(', ')
  if (owner === undefined)
    throw new InboxError(
      'not_migrated',
      `The schema ${schema} lacks ${missing}, and this inbox may not migrate. As the owner, run the SQL from inboxSql() on an empty database; for an older version, call start once without migrate: false.`,
    )
  const message = `The schema ${schema} lacks ${missing} of the extension ${owner}. Start an inbox with this extension once as the owner, without migrate: false.`
  throw new InboxError('not_migrated', message)
}

/**
 * Revokes the rights to write the list of applied migrations of an extension from the roles that may
 * not write that of the inbox. They got them by default, as on every table of later versions.
 */
async function revokeWriting(database: Database, schema: string, list: string): Promise<void> {
  // The embedded database has no other roles.
  if (database.kind !== 'postgres') return
  const { rows } = await database.query<{ role: string }>(
    `select distinct quote_ident(rolname) as role
     from pg_class, aclexplode(relacl) join pg_roles on pg_roles.oid = grantee
     where pg_class.oid = to_regclass($1) and pg_has_role(relowner, 'usage')
       and privilege_type in ('INSERT', 'UPDATE', 'DELETE')
       and not has_table_privilege(grantee, to_regclass($2), 'insert, update, delete')`,
    [`${schema}.${list}`, `${schema}.migration`],
  )
  for (const { role } of rows) {
    await database.query(`revoke insert, update, delete on ${schema}.${list} from ${role}`)
  }
}

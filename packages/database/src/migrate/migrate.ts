import { setTimeout as delay } from 'node:timers/promises'
import type { Tx } from '../driver.ts'
import { DatabaseError, messageOf, sqlState } from '../errors.ts'
import { explainMissingPrivilege } from './missing-privilege.ts'
import { readMigrations, type MigrationFile, type Migrations } from './migration-files.ts'
import { assertSchemaName } from './schema-name.ts'

export interface MigrateOptions {
  /** The schema of the tables, and of the table that lists the applied files. */
  schema: string
  /**
   * Whose migrations they are, if several packages have tables in one schema: each has its own list
   * of applied files, `migration_<owner>`. 1 to 20 of a-z and _.
   * @default one owner, with the table `migration`
   */
  owner?: string | undefined
}

interface Target {
  schema: string
  /** The table that lists the applied files, with its schema. */
  applied: string
}

function targetOf({ schema, owner }: MigrateOptions): Target {
  assertSchemaName(schema)
  if (owner !== undefined && !/^(?!lock$)[a-z][a-z_]{0,19}$/.test(owner)) {
    throw new DatabaseError(
      'bad_schema',
      `The owner ${owner} of migrations is not a valid name. Use 1 to 20 of a-z and _, starting with a letter, but not lock.`,
    )
  }
  return { schema, applied: `${schema}.migration${owner === undefined ? '' : `_${owner}`}` }
}

/** Runs a function in its own transaction. */
export type InTx = <T>(run: (tx: Tx) => Promise<T>) => Promise<T>

/** Applies all pending migrations in one transaction, and returns their names. */
export async function applyMigrations(
  inTx: InTx,
  migrations: Migrations,
  options: MigrateOptions,
): Promise<string[]> {
  const target = targetOf(options)
  // Up to date is the common case, and it needs only read access.
  if ((await missingMigrations(inTx, migrations, options, 'begin')).length === 0) return []
  try {
    await createSchemaOnce(inTx, target.schema)
    for (const statement of bookkeepingTables(target)) await createOnce(inTx, statement)
    return await applyMissing(inTx, migrations, target)
  } catch (error) {
    throw await explainMissingPrivilege(inTx, target, 'create', error)
  }
}

async function applyMissing(inTx: InTx, migrations: Migrations, target: Target): Promise<string[]> {
  const { schema } = target
  return await inTx(async (tx) => {
    // A row lock, because not every engine with this protocol has advisory locks. A process that
    // waits here then finds the migrations applied.
    await tx.query(`select held from ${schema}.migration_lock for update`)
    await tx.query(`set local search_path to ${schema}`)
    const missing = await findMissing(tx, target, await readMigrations(migrations))
    for (const file of missing) await apply(tx, target, file)
    return missing.map(({ name }) => name)
  })
}

/** Returns the names of the migrations that `applyMigrations` would apply; only reads. */
export async function missingMigrations(
  inTx: InTx,
  migrations: Migrations,
  options: MigrateOptions,
  needs: 'read' | 'begin' = 'read',
): Promise<string[]> {
  const target = targetOf(options)
  const files = await readMigrations(migrations)
  const found = inTx((tx) => findMissing(tx, target, files))
  const missing = await found.catch(async (error: unknown) => {
    if (undefinedStates.includes(sqlState(error) ?? '')) return files
    throw await explainMissingPrivilege(inTx, target, needs, error)
  })
  return missing.map(({ name }) => name)
}

/**
 * Returns the SQL that `migrate` runs on a database without migrations, for its owner to run.
 * `migrate` then finds everything applied. Errors: `migration_folder`, `bad_schema`.
 */
export async function migrationSql(
  migrations: Migrations,
  options: MigrateOptions,
): Promise<string> {
  const target = targetOf(options)
  const { schema, applied } = target
  const files = await readMigrations(migrations)
  return [
    'begin;',
    `create schema if not exists ${schema};`,
    ...bookkeepingTables(target).map((statement) => `${statement};`),
    `set local search_path to ${schema};`,
    ...files.flatMap(({ name, sql, sha256 }) => [
      sql,
      `insert into ${applied} (name, sha256) values ('${name}', '${sha256}');`,
    ]),
    'commit;',
    '',
  ].join('\n')
}

function bookkeepingTables({ schema, applied }: Target): string[] {
  return [
    `create table if not exists ${applied} (
       name text collate "C" primary key,
       sha256 text not null,
       applied_at timestamptz not null default now()
     )`,
    `create table if not exists ${schema}.migration_lock (
       held boolean primary key default true check (held)
     )`,
    `insert into ${schema}.migration_lock values (true) on conflict do nothing`,
  ]
}

const undefinedStates = ['42P01', '3F000'] // table, schema
const createRaces = [
  '23505', // unique_violation
  '42P06', // duplicate_schema
  '42P07', // duplicate_table
  '42710', // duplicate_object
  '40001', // serialization_failure
]

/** "if not exists" needs the privilege to create one, also if the schema exists. */
async function createSchemaOnce(inTx: InTx, schema: string): Promise<void> {
  const text = 'select from pg_namespace where nspname = $1'
  const { rowCount } = await inTx((tx) => tx.query(text, [schema]))
  if (rowCount === 0) await createOnce(inTx, `create schema if not exists ${schema}`)
}

// "if not exists" is not atomic: of several at once, all but one may violate the catalog's own
// keys.
async function createOnce(inTx: InTx, text: string): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await inTx((tx) => tx.query(text))
      return
    } catch (error) {
      if (attempt === 10 || !createRaces.includes(sqlState(error) ?? '')) throw error
    }
    await delay(10 * attempt)
  }
}

/** Finds the files to apply, after checking that the applied ones have not changed. */
async function findMissing(
  tx: Tx,
  { schema, applied: table }: Target,
  files: MigrationFile[],
): Promise<MigrationFile[]> {
  const { rows: applied } = await tx.query<Omit<MigrationFile, 'sql'>>(
    `select name, sha256 from ${table} order by name`,
  )
  const newestFile = files.at(-1)?.name ?? ''
  for (const { name, sha256 } of applied) {
    const file = files.find((one) => one.name === name)
    if (!file && name > newestFile)
      throw new DatabaseError(
        'migration_newer',
        `The schema ${schema} is newer than this version of the package: it has ${name}, and this package knows none after ${newestFile}. Install the version that applied it, or a later one.`,
      )
    const what = file ? 'changed' : 'removed'
    if (file?.sha256 !== sha256)
      throw new DatabaseError(
        'migration_changed',
        `The migration ${name} was ${what} after it was applied to schema ${schema}. Restore the original file, and put the change into a new one.`,
      )
  }
  const missing = files.filter(({ name }) => !applied.some((one) => one.name === name))
  const newest = applied.at(-1)?.name ?? ''
  const late = missing.find(({ name }) => name < newest)
  if (late)
    throw new DatabaseError(
      'migration_order',
      `The new migration ${late.name} comes before ${newest}, which is already applied to schema ${schema}. Give it the next number.`,
    )
  return missing
}

async function apply(
  tx: Tx,
  { schema, applied }: Target,
  { name, sql, sha256 }: MigrationFile,
): Promise<void> {
  try {
    await tx.executeSql(sql)
    await tx.query(`insert into ${applied} (name, sha256) values ($1, $2)`, [name, sha256])
  } catch (cause) {
    throw new DatabaseError(
      'migration_failed',
      `The migration ${name} of schema ${schema} failed (${messageOf(cause)}). Nothing was changed: fix the cause, then migrate again.`,
      { cause },
    )
  }
}

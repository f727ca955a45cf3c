import { setTimeout as delay } from 'node:timers/promises'
import type { Queryable, Tx } from '../driver.ts'
import { DatabaseError } from '../errors.ts'
import { readMigrationFiles, type MigrationFile } from './migration-files.ts'
import { migrationTables } from './migration-tables.ts'
import { sqlState } from '../sql-state.ts'

export interface MigrateOptions {
  /** Where the tables live, and the table `migration` that says what was applied. */
  schema: string
}

/** Runs a function in a transaction of its own. */
export type InTx = <T>(run: (tx: Tx) => Promise<T>) => Promise<T>

interface Applied {
  name: string
  sha256: string
}

/** Applies what is missing, all of it in one transaction, and returns the names applied now. */
export async function migrateFolder(
  inTx: InTx,
  folder: string | URL,
  { schema }: MigrateOptions,
): Promise<string[]> {
  assertSchemaName(schema)
  const files = await readMigrationFiles(folder)
  // Up to date is the common case, and needs no more rights than to read.
  if ((await readMissing(inTx, schema, files)).length === 0) return []
  await createTables(inTx, schema)

  return await inTx(async (tx) => {
    // A row and not an advisory lock, which not every engine that speaks this protocol has. Whoever
    // waits here finds the files applied below.
    await tx.query(`select held from ${schema}.migration_lock for update`)
    await tx.query(`set local search_path to ${schema}`)
    const missing = missingOf(schema, files, await readApplied(tx, schema))
    for (const file of missing) await apply(tx, schema, file)
    return missing.map(({ name }) => name)
  })
}

/** The names of what `migrateFolder` would apply; only reads. */
export async function missingMigrations(
  inTx: InTx,
  folder: string | URL,
  { schema }: MigrateOptions,
): Promise<string[]> {
  assertSchemaName(schema)
  const missing = await readMissing(inTx, schema, await readMigrationFiles(folder))
  return missing.map(({ name }) => name)
}

/** Also what makes it safe to write the name into SQL, which has no parameters for names. */
export function assertSchemaName(schema: string): void {
  if (/^[a-z_][a-z0-9_]{0,62}$/.test(schema)) return
  throw new DatabaseError(
    'bad_schema',
    `A schema is named with 1 to 63 of a-z, 0-9 and _, not starting with a digit; this is not: ` +
      JSON.stringify(schema),
  )
}

async function readMissing(
  inTx: InTx,
  schema: string,
  files: MigrationFile[],
): Promise<MigrationFile[]> {
  try {
    return missingOf(schema, files, await inTx((tx) => readApplied(tx, schema)))
  } catch (error) {
    if (hasState(error, [undefinedTable, undefinedSchema])) return files
    throw error
  }
}

async function readApplied(db: Queryable, schema: string): Promise<Applied[]> {
  const text = `select name, sha256 from ${schema}.migration order by name`
  return (await db.query<Applied>(text)).rows
}

async function createTables(inTx: InTx, schema: string): Promise<void> {
  for (const statement of migrationTables(schema)) await createOnce(inTx, statement)
}

const uniqueViolation = '23505'
const duplicateSchema = '42P06'
const duplicateTable = '42P07'
const duplicateObject = '42710'
const undefinedTable = '42P01'
const undefinedSchema = '3F000'
const serializationFailure = '40001'
const createRaces = [
  uniqueViolation,
  duplicateSchema,
  duplicateTable,
  duplicateObject,
  serializationFailure,
]

// "if not exists" is not atomic: of several at once, all but one may fail over the catalog's own keys.
async function createOnce(inTx: InTx, text: string): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await inTx((tx) => tx.query(text))
      return
    } catch (error) {
      if (attempt === 10 || !hasState(error, createRaces)) throw error
    }
    await delay(10 * attempt)
  }
}

function hasState(error: unknown, states: string[]): boolean {
  const state = sqlState(error)
  return state !== undefined && states.includes(state)
}

/** The files that are to be applied, once everything applied before was found as it is in the folder. */
function missingOf(schema: string, files: MigrationFile[], applied: Applied[]): MigrationFile[] {
  const byName = new Map(files.map((file) => [file.name, file]))
  const newestFile = files.at(-1)?.name ?? ''
  for (const { name, sha256 } of applied) {
    const file = byName.get(name)
    if (!file && name > newestFile) throw newer(schema, name, newestFile)
    if (file?.sha256 !== sha256) throw changed(schema, name, file === undefined)
  }
  const newestApplied = applied.at(-1)?.name ?? ''
  const appliedNames = new Set(applied.map(({ name }) => name))
  const missing = files.filter(({ name }) => !appliedNames.has(name))
  const late = missing.find(({ name }) => name < newestApplied)
  if (late) throw outOfOrder(schema, late.name, newestApplied)
  return missing
}

async function apply(tx: Tx, schema: string, { name, sql, sha256 }: MigrationFile): Promise<void> {
  try {
    await tx.executeSql(sql)
    await tx.query(`insert into ${schema}.migration (name, sha256) values ($1, $2)`, [name, sha256])
  } catch (error) {
    throw new DatabaseError(
      'migration_failed',
      `The migration ${name} of schema ${schema} failed, and nothing was changed ` +
        `(${error instanceof Error ? error.message : String(error)}).`,
      { cause: error },
    )
  }
}

function newer(schema: string, name: string, newestFile: string): DatabaseError {
  return new DatabaseError(
    'migration_newer',
    `The schema ${schema} is newer than this version of the package: it has ${name}, and the newest ` +
      `known here is ${newestFile}. Install the version that applied it, or a later one.`,
  )
}

function changed(schema: string, name: string, isGone: boolean): DatabaseError {
  return new DatabaseError(
    'migration_changed',
    `The migration ${name} was ${isGone ? 'removed' : 'changed'} after it was applied to schema ` +
      `${schema}. Restore that file as it was, and put the change into a new one.`,
  )
}

function outOfOrder(schema: string, name: string, newestApplied: string): DatabaseError {
  return new DatabaseError(
    'migration_order',
    `The migration ${name} was added before ${newestApplied}, which is already applied to schema ` +
      `${schema}. Give it the next number.`,
  )
}

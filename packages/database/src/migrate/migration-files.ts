import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { DatabaseError } from '../errors.ts'

export interface MigrationFile {
  name: string
  sql: string
  sha256: string
}

/** A folder with `NNNN-name.sql` files, or the SQL of such files by their names. */
export type Migrations = string | URL | Readonly<Record<string, string>>

/** Reads the migrations in order. Ignores other kinds of files in a folder. */
export async function readMigrations(migrations: Migrations): Promise<MigrationFile[]> {
  if (typeof migrations === 'string' || migrations instanceof URL) return readFolder(migrations)
  const names = Object.keys(migrations).toSorted()
  assertNumbered('The migration object', names)
  return names.map((name) => toMigration(name, migrations[name] ?? ''))
}

async function readFolder(folder: string | URL): Promise<MigrationFile[]> {
  const path = folder instanceof URL ? fileURLToPath(folder) : folder
  const names = await readdir(path).catch((cause: unknown) => {
    throw new DatabaseError(
      'migration_folder',
      `The migration folder ${path} cannot be read. Check that it is part of the package.`,
      { cause },
    )
  })
  const sqlNames = names.filter((name) => name.endsWith('.sql')).toSorted()
  assertNumbered(path, sqlNames)
  return await Promise.all(sqlNames.map((name) => readMigrationFile(path, name)))
}

function assertNumbered(path: string, names: string[]): void {
  if (names.length === 0) throw misnamed(`${path} contains no .sql file`)
  for (const [index, name] of names.entries()) {
    if (!/^\d{4}-[a-z0-9-]+\.sql$/.test(name))
      throw misnamed(`${name} in ${path} has an invalid name`)
    const next = names[index + 1]
    if (next?.slice(0, 4) === name.slice(0, 4))
      throw misnamed(`${name} and ${next} have the same number`)
  }
}

function misnamed(what: string): DatabaseError {
  return new DatabaseError(
    'migration_folder',
    `${what}. Name migrations like 0001-first-tables.sql, with one file per number.`,
  )
}

async function readMigrationFile(path: string, name: string): Promise<MigrationFile> {
  return toMigration(name, await readFile(join(path, name), 'utf8'))
}

function toMigration(name: string, text: string): MigrationFile {
  // A checkout on Windows may have converted the line ends; that is no change.
  const sql = text.replaceAll('\r\n', '\n')
  return { name, sql, sha256: createHash('sha256').update(sql).digest('hex') }
}

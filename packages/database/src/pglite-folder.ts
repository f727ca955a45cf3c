import { existsSync, readFileSync } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { PGlite } from '@electric-sql/pglite'
import { DatabaseError } from './errors.ts'
import type { FolderLock } from './held-lock.ts'

/** Opens the data of an embedded folder, and creates it on the first time. */
export async function openPgliteFolder(folder: string, lock: FolderLock): Promise<PGlite> {
  const Pglite = await importPglite()
  const data = join(folder, 'data')
  try {
    if (!existsSync(data)) await create(Pglite, folder, data, lock)
    return await Pglite.create(data)
  } catch (error) {
    if (error instanceof DatabaseError) throw error
    throw cannotOpen(folder, data, error)
  }
}

type PgliteClass = typeof PGlite

// Creating takes seconds. A process killed in the middle of it would leave a folder that never opens
// again, so it is done beside and moved into place when it is whole.
async function create(
  Pglite: PgliteClass,
  folder: string,
  data: string,
  lock: FolderLock,
): Promise<void> {
  const unfinished = join(folder, 'data.unfinished')
  await rm(unfinished, { recursive: true, force: true })
  const lite = await Pglite.create(unfinished)
  await lite.close()
  lock.assertHeld()
  await rename(unfinished, data)
}

async function importPglite(): Promise<PgliteClass> {
  try {
    return (await import('@electric-sql/pglite')).PGlite
  } catch (error) {
    throw new DatabaseError(
      'pglite_missing',
      'The embedded database needs PGlite, which is not installed. Run: ' +
        'npm install @electric-sql/pglite@~0.5.16 - or give the URL of a PostgreSQL as the database.',
      { cause: error },
    )
  }
}

function cannotOpen(folder: string, data: string, cause: unknown): DatabaseError {
  const versionFile = join(data, 'PG_VERSION')
  const version = existsSync(versionFile) ? readFileSync(versionFile, 'utf8').trim() : 'none'
  return new DatabaseError(
    'bad_folder',
    `The embedded database in ${folder} could not be opened (its PG_VERSION: ${version}). It may ` +
      'have been written by another version of PGlite, be damaged, or not be ours to write. Open it ' +
      'with the version that wrote it to save its contents, or move the folder away to start anew.',
    { cause },
  )
}

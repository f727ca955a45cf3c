import { existsSync, readFileSync } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { PGlite } from '@electric-sql/pglite'
import { assertSpace, bytesToCreate, bytesToRun } from './disk-space.ts'
import { DatabaseError } from '../errors.ts'
import { copyTemplate, saveTemplate } from './pglite-template.ts'

/** Opens the data of an embedded folder, and creates it the first time. */
export async function openPgliteFolder(folder: string, assertHeld: () => void): Promise<PGlite> {
  const Pglite = await importPglite()
  const data = join(folder, 'data')
  if (!existsSync(data)) await create(Pglite, folder, data, assertHeld)
  assertSpace(folder, bytesToRun)
  try {
    return await Pglite.create(data, {
      startParams: [...Pglite.defaultStartParams, ...smallParams],
    })
  } catch (error) {
    // Another program may have filled the disk meanwhile.
    assertSpace(folder, bytesToRun)
    throw cannotOpen(folder, data, error)
  }
}

type PgliteClass = typeof PGlite

// A checkpoint would keep 80 MB of the log (WAL) for later, and the buffers would take 128 MB of memory
// beside what the system keeps of the files.
const settings = ['min_wal_size=32MB', 'max_wal_size=64MB', 'shared_buffers=32MB']
const smallParams = settings.flatMap((setting) => ['-c', setting])

// Creating takes seconds. A process killed in the middle of it would leave a folder that never opens
// again, so it is done beside and moved into place when it is whole.
async function create(
  Pglite: PgliteClass,
  folder: string,
  data: string,
  assertHeld: () => void,
): Promise<void> {
  const unfinished = join(folder, 'data.unfinished')
  await rm(unfinished, { recursive: true, force: true })
  assertSpace(folder, bytesToCreate)
  if (!(await copyTemplate(unfinished))) await createAnew(Pglite, folder, unfinished)
  assertHeld()
  await rename(unfinished, data)
}

async function createAnew(Pglite: PgliteClass, folder: string, data: string): Promise<void> {
  try {
    const lite = await Pglite.create(data)
    await lite.close()
  } catch (error) {
    await rm(data, { recursive: true, force: true })
    assertSpace(folder, bytesToCreate)
    throw new DatabaseError(
      'bad_folder',
      `The embedded database could not be created in ${folder}. Check that this process may write ` +
        `there, and that no quota or limit stops it below ${bytesToCreate / 1_048_576} MiB.`,
      { cause: error },
    )
  }
  await saveTemplate(data)
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

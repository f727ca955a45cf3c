import { existsSync, readFileSync, rmdirSync } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { PGlite } from '@electric-sql/pglite'
import { attempt, DatabaseError, reasonOf, sqlState } from '../errors.ts'
import { assertSpace, bytesToCreate, bytesToRun, mebibyte } from './disk-space.ts'
import { pgliteFault, type PgliteModule } from './pglite-fault.ts'
import type { InitialSql } from '../driver.ts'
import { copyTemplate, saveTemplate, templatePath } from './pglite-template.ts'

// With the defaults, a checkpoint would keep 80 MB of the log (WAL), and the buffers would use 128
// MB of memory in addition to the file cache of the system. Its progress timer of a recovery would
// never end, and a process with it would not exit.
const settings = [
  'min_wal_size=32MB',
  'max_wal_size=64MB',
  'shared_buffers=32MB',
  'log_startup_progress_interval=0',
]
const smallParams = settings.flatMap((setting) => ['-c', setting])

const withContents = { recursive: true, force: true }

/** Opens the data of an embedded folder, and creates it with `initialSql` if it does not exist. */
export async function openPgliteFolder(
  { PGlite: Pglite }: PgliteModule,
  folder: string,
  assertHeld: () => void,
  initialSql?: InitialSql,
): Promise<PGlite> {
  const data = join(folder, 'data')
  // An empty folder counts as missing. A volume cannot be removed, so PGlite creates the data in it.
  attempt(() => rmdirSync(data), undefined)
  if (!existsSync(data)) await create(Pglite, folder, data, { assertHeld, initialSql })
  assertSpace(folder, bytesToRun)
  try {
    const startParams = [...Pglite.defaultStartParams, ...smallParams]
    return await Pglite.create(data, { startParams })
  } catch (cause) {
    // Another program may have filled the disk in the meantime.
    assertSpace(folder, bytesToRun)
    const version = attempt(() => readFileSync(join(data, 'PG_VERSION'), 'utf8').trim(), 'none')
    const reason = reasonOf(cause)
    throw (
      pgliteFault(cause) ??
      new DatabaseError(
        'bad_folder',
        `The embedded database in ${folder} (PG_VERSION: ${version}) could not be opened (${reason}): it may be damaged, belong to another version of PGlite, or be read-only for this process. Save its contents with the version that wrote it, or move the folder away to start with an empty database.`,
        { cause },
      )
    )
  }
}

// Creating takes seconds, and a process killed meanwhile would leave a folder that never opens
// again. So the data is created elsewhere and moved into place when it is complete.
async function create(
  Pglite: PgliteModule['PGlite'],
  folder: string,
  data: string,
  { assertHeld, initialSql }: { assertHeld: () => void; initialSql: InitialSql | undefined },
): Promise<void> {
  const unfinished = join(folder, 'data.unfinished')
  await rm(unfinished, withContents)
  assertSpace(folder, bytesToCreate)
  const sql = (await initialSql?.()) ?? ''
  const template = templatePath(sql)
  if (template === undefined || !copyTemplate(template, unfinished)) {
    await createAnew(Pglite, folder, unfinished, sql)
    if (template !== undefined) saveTemplate(template, unfinished)
  }
  assertHeld()
  await rename(unfinished, data)
}

// Takes seconds of processor time and half a gigabyte of memory. Copying a template takes a fifth of
// a second.
async function createAnew(
  Pglite: PgliteModule['PGlite'],
  folder: string,
  data: string,
  sql: string,
): Promise<void> {
  try {
    const lite = await Pglite.create(data)
    try {
      await lite.exec(sql)
    } finally {
      await lite.close()
    }
  } catch (cause) {
    await rm(data, withContents)
    assertSpace(folder, bytesToCreate)
    // The server rejected the SQL, which says nothing about the folder.
    if (sqlState(cause) !== undefined) throw cause
    const [mebibytes, reason] = [bytesToCreate / mebibyte, reasonOf(cause)]
    throw (
      pgliteFault(cause) ??
      new DatabaseError(
        'bad_folder',
        `The embedded database could not be created in ${folder} (${reason}). Check that this process may write there, and that no quota or limit stops it below ${mebibytes} MiB.`,
        { cause },
      )
    )
  }
}

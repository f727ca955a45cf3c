import { constants, copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import type { PGlite } from '@electric-sql/pglite'
import { DatabaseError } from '../errors.ts'
import { assertSpace, bytesToCreate, bytesToRun, mebibyte } from './disk-space.ts'
import { pgliteFault, reasonOf } from './pglite-fault.ts'
import type { Protocol } from './pglite-statements.ts'

type PgliteClass = typeof PGlite

/** The database of a folder, with what it takes to send it messages. */
export interface OpenFolder {
  lite: PGlite
  protocol: Protocol
}

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

/** Opens the data of an embedded folder, and creates it if it does not exist. */
export async function openPgliteFolder(
  folder: string,
  assertHeld: () => void,
): Promise<OpenFolder> {
  const { PGlite: Pglite, ...protocol } = await importPglite()
  const data = join(folder, 'data')
  if (!existsSync(data)) await create(Pglite, folder, data, assertHeld)
  assertSpace(folder, bytesToRun)
  try {
    const startParams = [...Pglite.defaultStartParams, ...smallParams]
    return { lite: await Pglite.create(data, { startParams }), protocol }
  } catch (cause) {
    // Another program may have filled the disk in the meantime.
    assertSpace(folder, bytesToRun)
    const versionFile = join(data, 'PG_VERSION')
    const version = existsSync(versionFile) ? readFileSync(versionFile, 'utf8').trim() : 'none'
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

async function importPglite(): Promise<{ PGlite: PgliteClass } & Protocol> {
  try {
    return await import('@electric-sql/pglite')
  } catch (cause) {
    throw new DatabaseError(
      'pglite_missing',
      'The embedded database needs PGlite, which is not installed. Run `npm install @electric-sql/pglite@~0.5.16`, or pass a PostgreSQL URL as the database.',
      { cause },
    )
  }
}

// Creating takes seconds, and a process killed meanwhile would leave a folder that never opens
// again. So the data is created elsewhere and moved into place when it is complete.
async function create(
  Pglite: PgliteClass,
  folder: string,
  data: string,
  assertHeld: () => void,
): Promise<void> {
  const unfinished = join(folder, 'data.unfinished')
  await rm(unfinished, withContents)
  assertSpace(folder, bytesToCreate)
  const template = templateFolder()
  if (!(await copyTemplate(template, unfinished))) {
    await createAnew(Pglite, folder, unfinished)
    await saveTemplate(template, unfinished)
  }
  assertHeld()
  await rename(unfinished, data)
}

async function createAnew(Pglite: PgliteClass, folder: string, data: string): Promise<void> {
  try {
    const lite = await Pglite.create(data)
    await lite.close()
  } catch (cause) {
    await rm(data, withContents)
    assertSpace(folder, bytesToCreate)
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

// Creating a database costs four seconds of CPU and half a gigabyte of memory; copying an empty one
// costs a fifth of a second. False if there is no template, or if copying it fails.
async function copyTemplate(template: string | undefined, data: string): Promise<boolean> {
  if (template === undefined || !existsSync(join(template, 'PG_VERSION'))) return false
  try {
    copyFolder(template, data)
    return true
  } catch {
    await rm(data, withContents)
    return false
  }
}

/**
 * Copies a thousand small files, by reflinks if the file system supports them. Waiting for each one
 * would take four times as long.
 */
function copyFolder(from: string, to: string): void {
  // The files of PGlite are open to all, and only the folder protects them.
  mkdirSync(to, { recursive: true, mode: 0o700 })
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)]
    if (entry.isDirectory()) copyFolder(source, target)
    else copyFileSync(source, target, constants.COPYFILE_FICLONE)
  }
}

/** Stores a copy of a newly created and closed database as a template. Never rejects. */
async function saveTemplate(template: string | undefined, data: string): Promise<void> {
  if (template === undefined) return
  let unfinished: string | undefined
  try {
    await mkdir(dirname(template), { recursive: true })
    assertSpace(dirname(template), bytesToCreate)
    unfinished = await mkdtemp(`${template}-`)
    copyFolder(data, unfinished)
    // If several processes do this at once, the first one wins, and this fails in the others.
    await rename(unfinished, template)
  } catch {
    // Another process was first, or the cache folder cannot be written. A template only saves time.
    if (unfinished) await rm(unfinished, withContents).catch(() => undefined)
  }
}

/** One template per version of PGlite; undefined if the version is unknown, as in a bundle. */
function templateFolder(): string | undefined {
  try {
    const entry = createRequire(import.meta.url).resolve('@electric-sql/pglite')
    const manifest = readFileSync(join(dirname(entry), '../package.json'), 'utf8')
    const { version }: { version?: string } = JSON.parse(manifest)
    return version && join(cacheFolder(), 'feed-receiver', `pglite-${version}`)
  } catch {
    return undefined
  }
}

function cacheFolder(): string {
  const { XDG_CACHE_HOME, LOCALAPPDATA } = process.env
  if (XDG_CACHE_HOME) return XDG_CACHE_HOME
  if (process.platform === 'win32' && LOCALAPPDATA) return LOCALAPPDATA
  return join(homedir(), process.platform === 'darwin' ? 'Library/Caches' : '.cache')
}

import { constants, existsSync, readFileSync } from 'node:fs'
import { cp, mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import type { PGlite } from '@electric-sql/pglite'
import { DatabaseError, say } from '../errors.ts'
import { assertSpace, bytesToCreate, bytesToRun, mebibyte } from './disk-space.ts'

type PgliteClass = typeof PGlite

// A checkpoint would keep 80 MB of the log (WAL) for later, and the buffers would take 128 MB of memory
// beside what the system keeps of the files.
const settings = ['min_wal_size=32MB', 'max_wal_size=64MB', 'shared_buffers=32MB']
const smallParams = settings.flatMap((setting) => ['-c', setting])

/** A reflink where the file system has them, else a copy. */
const copying = { recursive: true, mode: constants.COPYFILE_FICLONE }
const withContents = { recursive: true, force: true }

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
  } catch (cause) {
    // Another program may have filled the disk meanwhile.
    assertSpace(folder, bytesToRun)
    const versionFile = join(data, 'PG_VERSION')
    const version = existsSync(versionFile) ? readFileSync(versionFile, 'utf8').trim() : 'none'
    throw new DatabaseError('bad_folder', say('not_opened', { folder, version }), { cause })
  }
}

async function importPglite(): Promise<PgliteClass> {
  try {
    return (await import('@electric-sql/pglite')).PGlite
  } catch (cause) {
    throw new DatabaseError('pglite_missing', say('pglite_missing'), { cause })
  }
}

// Creating takes seconds. A process killed in the middle of it would leave a folder that never opens
// again, so it is done beside and moved into place when it is whole.
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
    const text = say('not_created', { folder, mebibytes: bytesToCreate / mebibyte })
    throw new DatabaseError('bad_folder', text, { cause })
  }
}

// Creating a database costs four seconds of CPU and half a gigabyte of memory, copying an empty one a
// fifth of a second. False where there is none.
async function copyTemplate(template: string | undefined, data: string): Promise<boolean> {
  if (template === undefined || !existsSync(join(template, 'PG_VERSION'))) return false
  try {
    await cp(template, data, copying)
    return true
  } catch {
    await rm(data, withContents)
    return false
  }
}

/** Keeps a copy of a database that has just been created and closed. Never rejects. */
async function saveTemplate(template: string | undefined, data: string): Promise<void> {
  if (template === undefined) return
  let unfinished: string | undefined
  try {
    await mkdir(dirname(template), { recursive: true })
    assertSpace(dirname(template), bytesToCreate)
    unfinished = await mkdtemp(`${template}-`)
    await cp(data, unfinished, copying)
    // Of several processes the first one keeps its place.
    await rename(unfinished, template)
  } catch {
    // A home that cannot be written: the next database is created from nothing as well.
    if (unfinished) await rm(unfinished, withContents).catch(() => undefined)
  }
}

/** One for each version of PGlite; undefined where the version is not to be found, as in a bundle. */
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

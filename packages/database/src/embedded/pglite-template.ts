import { constants, existsSync, readFileSync } from 'node:fs'
import { cp, mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { assertSpace, bytesToCreate } from './disk-space.ts'

/** A reflink where the file system has them, else a copy. */
const mode = constants.COPYFILE_FICLONE

/**
 * Fills an empty data folder with a copy of the user's template; false where there is none. Creating
 * a database costs four seconds of CPU and half a gigabyte of memory, copying one a fifth of a second.
 */
export async function copyTemplate(data: string): Promise<boolean> {
  const template = templateFolder()
  if (template === undefined || !existsSync(join(template, 'PG_VERSION'))) return false
  try {
    await cp(template, data, { recursive: true, mode })
    return true
  } catch {
    await rm(data, { recursive: true, force: true })
    return false
  }
}

/** Keeps a copy of a database that has just been created and closed. Never rejects. */
export async function saveTemplate(data: string): Promise<void> {
  const template = templateFolder()
  if (template === undefined) return
  let unfinished: string | undefined
  try {
    await mkdir(dirname(template), { recursive: true })
    assertSpace(dirname(template), bytesToCreate)
    unfinished = await mkdtemp(`${template}-`)
    await cp(data, unfinished, { recursive: true, mode })
    // Of several processes the first one keeps its place.
    await rename(unfinished, template)
  } catch {
    // A home that cannot be written: the next database is created from nothing as well.
    if (unfinished) await rm(unfinished, { recursive: true, force: true }).catch(() => undefined)
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

import { createHash, randomUUID } from 'node:crypto'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib'
import { attempt } from '../errors.ts'

/** The beginning of a packed folder; its contents follow. */
interface Index {
  /** Parents first. */
  folders: string[]
  /** Path, and where its contents begin and end. Equal files share their contents. */
  files: [path: string, start: number, end: number][]
}

/** Changes with the layout of a packed folder. */
const layout = 1
/** The names of all versions, and of files that are not complete yet. */
const templateName = /^pglite-.*-[\da-f]{16}\.v\d+(?:-[\da-f-]{36})?$/
const unusedMs = 30 * 86_400_000
const digestBytes = 32
const lengthBytes = 4

/**
 * The path of the template for databases that begin with this SQL: one for each version of PGlite.
 * Undefined if the version is unknown, as in a bundle.
 */
export function templatePath(sql: string): string | undefined {
  try {
    const entry = createRequire(import.meta.url).resolve('@electric-sql/pglite')
    const manifest = readFileSync(join(dirname(entry), '../package.json'), 'utf8')
    const { version }: { version?: string } = JSON.parse(manifest)
    const contents = createHash('sha256').update(sql).digest('hex').slice(0, 16)
    return version && join(templateFolder(), `pglite-${version}-${contents}.v${layout}`)
  } catch {
    return undefined
  }
}

/**
 * Creates a database folder as a copy of the template. False, and no folder, if the template is
 * missing, damaged or another user's, or if writing fails.
 */
export function copyTemplate(template: string, folder: string): boolean {
  try {
    if (!existsSync(template) || !isOwn(template)) return false
    unpack(readFileSync(template), folder)
    attempt(() => noteUse(template), undefined)
    return true
  } catch {
    rmSync(folder, { recursive: true, force: true })
    return false
  }
}

/**
 * Stores the folder of a closed database as a template, and removes templates that no database has
 * used for some weeks. Never throws.
 */
export function saveTemplate(template: string, folder: string): void {
  createAtomically(template, (path) =>
    writeFileSync(path, pack(folder), { flag: 'wx', mode: 0o600 }),
  )
  attempt(removeUnused, undefined)
}

/**
 * Copies the templates of a folder, which a package ships, to where new databases find them. Those of
 * other versions do no harm, because no database looks for them. Never throws.
 */
export function installTemplates(shipped: string): void {
  attempt(() => {
    for (const name of readdirSync(shipped)) {
      const template = join(templateFolder(), name)
      if (existsSync(template)) continue
      createAtomically(template, (path) => {
        copyFileSync(join(shipped, name), path)
        // Some systems copy the time, too.
        noteUse(path)
      })
    }
  }, undefined)
}

/** The time of a file says when it was last used. */
function noteUse(path: string): void {
  const now = new Date()
  utimesSync(path, now, now)
}

/** Also removes what processes left that were killed while they stored a template. */
function removeUnused(): void {
  const folder = templateFolder()
  for (const name of readdirSync(folder).filter((one) => templateName.test(one))) {
    const path = join(folder, name)
    attempt(() => {
      if (Date.now() - statSync(path).mtimeMs > unusedMs) rmSync(path)
    }, undefined)
  }
}

/**
 * Creates a file under another name and moves it into place, because several processes may do this
 * at once, and any may be killed. Never throws, because a template only saves time.
 */
function createAtomically(path: string, write: (unfinished: string) => void): void {
  const unfinished = `${path}-${randomUUID()}`
  try {
    mkdirSync(dirname(path), { recursive: true })
    write(unfinished)
    renameSync(unfinished, path)
  } catch {
    attempt(() => rmSync(unfinished, { force: true }), undefined)
  }
}

/** The digest of what follows, which is compressed: the length of the index, the index, the contents. */
function pack(folder: string): Buffer {
  const index: Index = { folders: [], files: [] }
  const contents: Buffer[] = []
  const known = new Map<string, [start: number, end: number]>()
  let length = 0
  add('')
  const head = Buffer.from(JSON.stringify(index))
  const headLength = Buffer.alloc(lengthBytes)
  headLength.writeUInt32LE(head.length)
  const compressed = brotliCompressSync(Buffer.concat([headLength, head, ...contents]), {
    // The best for its time: 0.3 seconds, to 1.8 MB. The window finds pages that databases share.
    params: { [constants.BROTLI_PARAM_QUALITY]: 5, [constants.BROTLI_PARAM_LGWIN]: 24 },
  })
  return Buffer.concat([digestOf(compressed), compressed])

  function add(name: string): void {
    index.folders.push(name)
    for (const entry of readdirSync(join(folder, name), { withFileTypes: true })) {
      const path = join(name, entry.name)
      if (entry.isDirectory()) add(path)
      else index.files.push([path, ...addContents(readFileSync(join(folder, path)))])
    }
  }

  function addContents(bytes: Buffer): [start: number, end: number] {
    const digest = digestOf(bytes).toString('hex')
    const range = known.get(digest) ?? [length, length + bytes.length]
    if (!known.has(digest)) {
      known.set(digest, range)
      contents.push(bytes)
      length += bytes.length
    }
    return range
  }
}

/** Writes a thousand small files. Waiting for each one would take four times as long. */
function unpack(packed: Buffer, folder: string): void {
  const compressed = packed.subarray(digestBytes)
  if (!digestOf(compressed).equals(packed.subarray(0, digestBytes))) throw new Error('damaged')
  const unpacked = brotliDecompressSync(compressed)
  const start = lengthBytes + unpacked.readUInt32LE()
  const { folders, files }: Index = JSON.parse(unpacked.toString('utf8', lengthBytes, start))
  const contents = unpacked.subarray(start)
  // The files of PGlite are open to all, and only the folder protects them.
  for (const name of folders) mkdirSync(join(folder, name), { mode: 0o700 })
  for (const [name, from, to] of files) {
    writeFileSync(join(folder, name), contents.subarray(from, to))
  }
}

function digestOf(bytes: Buffer): Buffer {
  return createHash('sha256').update(bytes).digest()
}

/** Whether this user wrote a file. Another's could hold anything, and could run SQL of its own. */
function isOwn(path: string): boolean {
  return process.getuid === undefined || statSync(path).uid === process.getuid()
}

function templateFolder(): string {
  return join(cacheFolder(), 'feed-receiver')
}

function cacheFolder(): string {
  const { XDG_CACHE_HOME, LOCALAPPDATA } = process.env
  if (XDG_CACHE_HOME) return XDG_CACHE_HOME
  if (process.platform === 'win32' && LOCALAPPDATA) return LOCALAPPDATA
  return join(homedir(), process.platform === 'darwin' ? 'Library/Caches' : '.cache')
}

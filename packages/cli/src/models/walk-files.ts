import { codeOf } from '@feed-receiver/core/internal'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { UsageError } from '../errors.ts'

export interface TextFile {
  path: string
  text: string
}

/** Folders of installed packages, of builds and of version control. */
const skipped = new Set([
  'node_modules',
  '.git',
  '.hg',
  '.svn',
  'dist',
  'coverage',
  '.next',
  '.nuxt',
  '.output',
  '.svelte-kit',
  '.venv',
  '__pycache__',
  '.feed-receiver',
])

const maxBytes = 1_048_576

/**
 * Reads the text files at paths and below them, in the order of their names. Skips links, binary
 * files, files over 1 MiB and files that it may not read. Errors: `usage` if a path does not exist.
 */
export function walkFiles(paths: readonly string[]): Iterable<TextFile> {
  // Before anything is looked up.
  const missing = paths.find((path) => !existsSync(path))
  if (missing !== undefined) throw new UsageError(`There is no file or folder ${missing}.`)
  return walkEach(paths)
}

function* walkEach(paths: readonly string[]): Generator<TextFile> {
  for (const path of paths) {
    if (statSync(path).isDirectory()) yield* walkFolder(path)
    else yield* readText(path)
  }
}

function* walkFolder(folder: string): Generator<TextFile> {
  for (const entry of readOr(() => readdirSync(folder, { withFileTypes: true })) ?? []) {
    const path = join(folder, entry.name)
    if (entry.isFile()) yield* readText(path)
    else if (entry.isDirectory() && !skipped.has(entry.name)) yield* walkFolder(path)
  }
}

function* readText(path: string): Generator<TextFile> {
  const bytes = readOr(() => (statSync(path).size > maxBytes ? undefined : readFileSync(path)))
  // As git does, a file with a zero byte at its beginning is taken for a binary one.
  if (bytes && !bytes.subarray(0, 8_000).includes(0)) yield { path, text: bytes.toString('utf8') }
}

/** A file may be gone or forbidden by now. */
function readOr<Value>(read: () => Value): Value | undefined {
  try {
    return read()
  } catch (error) {
    if (['ENOENT', 'EACCES', 'EPERM', 'ELOOP'].includes(codeOf(error) ?? '')) return undefined
    throw error
  }
}

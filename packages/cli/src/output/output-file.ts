import { codeOf } from '@feed-receiver/core/internal'
import { statSync, type Stats } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { UsageError } from '../errors.ts'

/**
 * Rejects a file that a command would have to overwrite, before it does anything.
 *
 * @param option The option that names the file.
 */
export function rejectExisting(option: string, file: string | undefined, force: boolean): void {
  if (file === undefined) {
    if (force) throw new UsageError(`--force is for ${option} <file>. Use both, or neither.`)
    return
  }
  let stats: Stats | undefined
  try {
    stats = statSync(file, { throwIfNoEntry: false })
  } catch (error) {
    throw unwritable(file, error)
  }
  if (stats?.isDirectory()) throw new UsageError(`${file} is a folder. Use a file in it.`)
  if (stats && !force) throw existing(file)
}

/** Writes a file and the folders above it. Without `force` it never overwrites one. */
export async function writeOutput(file: string, text: string, force: boolean): Promise<void> {
  try {
    await mkdir(dirname(resolve(file)), { recursive: true })
    await writeFile(file, text, { flag: force ? 'w' : 'wx' })
  } catch (error) {
    throw codeOf(error) === 'EEXIST' ? existing(file) : unwritable(file, error)
  }
}

function unwritable(file: string, error: unknown): UsageError {
  const code = codeOf(error) ?? 'unknown error'
  return new UsageError(`${file} cannot be written (${code}). Check its path.`, error)
}

function existing(file: string): UsageError {
  return new UsageError(`${file} already exists. Use another file, or add --force to overwrite it.`)
}
